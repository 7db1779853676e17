package io.holdfast.lock.sample.shop;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** The shop refuses, and says why. */
class ShopException extends ResponseStatusException {

    private static final long serialVersionUID = 1L;

    private ShopException(HttpStatus status, String message) {
        super(status, message);
    }

    static ShopException unknown(String what, long id) {
        return new ShopException(HttpStatus.NOT_FOUND, "There is no " + what + " " + id + ".");
    }

    static ShopException nothingOrdered(int quantity) {
        return new ShopException(HttpStatus.BAD_REQUEST, "quantity is " + quantity + "; it must be at least 1.");
    }

    static ShopException soldOut(long productId, int left) {
        return new ShopException(HttpStatus.CONFLICT, "Product " + productId + " has only " + left + " left in stock.");
    }

    static ShopException staleToken(long productId, long token) {
        return new ShopException(
                HttpStatus.CONFLICT,
                "The stock of product " + productId + " was not changed: fencing token " + token
                        + " is older than the one it was last written with, so somebody else has had the lock since.");
    }
}
