package io.holdfast.lock.sample.shop;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/** The shop refuses, and says why. */
class ShopException extends ResponseStatusException {

    private static final long serialVersionUID = 1L;

    ShopException(HttpStatus status, String message) {
        super(status, message);
    }
}
