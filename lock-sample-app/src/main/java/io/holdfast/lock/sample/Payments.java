package io.holdfast.lock.sample;

import io.holdfast.lock.spring.annotation.DistributedLock;
import java.util.Objects;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Service;

@Service
class Payments {

    private final CardTerminal terminal;
    private final JdbcClient jdbc;

    Payments(CardTerminal terminal, JdbcClient jdbc) {
        this.terminal = terminal;
        this.jdbc = jdbc;
    }

    /**
     * Charges an order once, even if several instances are called at the same time: later calls wait, find the payment, and
     * return it.
     */
    @DistributedLock(name = "payment", key = "#order.id", lease = 10)
    public Receipt pay(Order order) {
        return paymentOf(order).orElseGet(() -> {
            terminal.charge(order.amountCents());
            return record(order);
        });
    }

    private Optional<Receipt> paymentOf(Order order) {
        return jdbc.sql("SELECT id AS payment_id, order_id, amount_cents, FALSE AS charged FROM payment"
                        + " WHERE order_id = ? ORDER BY id LIMIT 1")
                .param(order.id())
                .query(Receipt.class)
                .optional();
    }

    private Receipt record(Order order) {
        KeyHolder key = new GeneratedKeyHolder();
        jdbc.sql("INSERT INTO payment (order_id, amount_cents) VALUES (?, ?)")
                .params(order.id(), order.amountCents())
                .update(key, "id");
        return new Receipt(Objects.requireNonNull(key.getKeyAs(Long.class)), order.id(), order.amountCents(), true);
    }
}
