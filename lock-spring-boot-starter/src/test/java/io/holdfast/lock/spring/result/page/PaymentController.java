package io.holdfast.lock.spring.result.page;

import io.holdfast.lock.spring.result.page.Payments.Receipt;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
class PaymentController { // WebFlux: no event loop is blocked

    private final Payments payments;

    PaymentController(Payments payments) {
        this.payments = payments;
    }

    @PostMapping("/orders/{id}/pay")
    Mono<Receipt> pay(@PathVariable("id") long id) {
        return payments.pay(id);
    }
}
