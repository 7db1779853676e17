package io.holdfast.lock.sample;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.web.server.ResponseStatusException;

@Service
class Orders {

    private static final String ORDERS = "SELECT id, product_id, quantity, amount_cents,"
            + " EXISTS (SELECT 1 FROM payment WHERE order_id = orders.id) AS paid FROM orders";

    private final LockTemplate locks;
    private final Stock stock;
    private final JdbcClient jdbc;
    private final TransactionOperations transactions;

    Orders(LockTemplate locks, Stock stock, JdbcClient jdbc, TransactionOperations transactions) {
        this.locks = locks;
        this.stock = stock;
        this.jdbc = jdbc;
        this.transactions = transactions;
    }

    /** Reserves stock and writes the order, both or neither. The lock spans the transaction, not the other way round. */
    Order place(long productId, int quantity) {
        if (quantity < 1) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, "quantity is " + quantity + "; it must be at least 1.");
        }
        LockRequest request = LockRequest.of("stock:" + productId).waitFor(Duration.ofSeconds(2));
        try (LockHandle lock = locks.acquire(request)) {
            return Objects.requireNonNull(
                    transactions.execute(status -> reserve(productId, quantity, lock.fencingToken())));
        }
    }

    private Order reserve(long productId, int quantity, long fencingToken) {
        Product product = stock.product(productId);
        if (product.quantity() < quantity) {
            throw new ResponseStatusException(HttpStatus.CONFLICT, "Only " + product.quantity() + " left in stock.");
        }
        stock.write(productId, product.quantity() - quantity, fencingToken);
        return insert(productId, quantity, product.priceCents() * quantity);
    }

    private Order insert(long productId, int quantity, long amountCents) {
        KeyHolder key = new GeneratedKeyHolder();
        jdbc.sql("INSERT INTO orders (product_id, quantity, amount_cents) VALUES (?, ?, ?)")
                .params(productId, quantity, amountCents)
                .update(key, "id");
        return new Order(Objects.requireNonNull(key.getKeyAs(Long.class)), productId, quantity, amountCents, false);
    }

    List<Order> latest() {
        return jdbc.sql(ORDERS + " ORDER BY id DESC LIMIT 10")
                .query(Order.class)
                .list();
    }

    Order order(long id) {
        return jdbc.sql(ORDERS + " WHERE id = ?")
                .param(id)
                .query(Order.class)
                .optional()
                .orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no order " + id + "."));
    }
}
