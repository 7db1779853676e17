package io.holdfast.lock.sample;

import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;
import org.springframework.web.server.ResponseStatusException;

@Repository
class Stock {

    private static final String PRODUCTS =
            "SELECT id, name, price_cents, quantity FROM product JOIN stock ON stock.product_id = product.id";

    private final JdbcClient jdbc;

    Stock(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    List<Product> products() {
        return jdbc.sql(PRODUCTS + " ORDER BY id").query(Product.class).list();
    }

    Product product(long id) {
        return jdbc.sql(PRODUCTS + " WHERE id = ?")
                .param(id)
                .query(Product.class)
                .optional()
                .orElseThrow(
                        () -> new ResponseStatusException(HttpStatus.NOT_FOUND, "There is no product " + id + "."));
    }

    /**
     * Writes the stock unless a later holder of the lock has written it: even a holder that lost its lock unnoticed (a long
     * pause, a Redis that lost its data) cannot overwrite its successor's work.
     */
    void write(long productId, int quantity, long fencingToken) {
        int rows = jdbc.sql(
                        "UPDATE stock SET quantity = ?, fencing_token = ? WHERE product_id = ? AND fencing_token <= ?")
                .params(quantity, fencingToken, productId, fencingToken)
                .update();
        if (rows == 0) {
            throw new ResponseStatusException(
                    HttpStatus.CONFLICT,
                    "The stock of product " + productId + " was not changed: fencing token " + fencingToken
                            + " is older than the one it was last written with, so somebody else has had the lock since.");
        }
    }
}
