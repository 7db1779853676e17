package io.holdfast.lock.sample;

import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ShopController {

    private final Stock stock;
    private final Orders orders;
    private final Payments payments;

    ShopController(Stock stock, Orders orders, Payments payments) {
        this.stock = stock;
        this.orders = orders;
        this.payments = payments;
    }

    @GetMapping("/products")
    List<Product> products() {
        return stock.products();
    }

    @GetMapping("/orders")
    List<Order> orders() {
        return orders.latest();
    }

    @GetMapping("/orders/{id}")
    Order order(@PathVariable long id) {
        return orders.order(id);
    }

    @PostMapping("/orders")
    @ResponseStatus(HttpStatus.CREATED)
    Order order(@RequestParam long product, @RequestParam(defaultValue = "1") int quantity) {
        return orders.place(product, quantity);
    }

    @PostMapping("/orders/{id}/payment")
    Receipt pay(@PathVariable long id) {
        return payments.pay(orders.order(id));
    }
}
