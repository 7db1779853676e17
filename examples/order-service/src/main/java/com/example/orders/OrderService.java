package com.example.orders;

import io.holdfast.lock.spring.annotation.DistributedLock;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
public class OrderService {

    public static void main(String[] args) {
        SpringApplication.run(OrderService.class, args);
    }
}

@RestController
class OrderController {

    private final Payments payments;

    OrderController(Payments payments) {
        this.payments = payments;
    }

    @PostMapping("/orders/{id}/pay")
    String pay(@PathVariable("id") long id) throws InterruptedException {
        return payments.pay(id);
    }
}

/** A separate bean: its proxy acquires the lock when another bean calls it. */
@Service
class Payments {

    /** One payment of an order at a time, on all instances; a second one is refused at once. */
    @DistributedLock(name = "order", key = "#id", waitFor = 0)
    public String pay(long id) throws InterruptedException {
        Thread.sleep(1_000); // charges the customer
        return "order " + id + " is paid\n";
    }
}
