package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockStoreException;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Responds with a problem detail (RFC 9457) instead of status 500 if a lock was not free or the store failed. It contains neither
 * the key nor the holder, which do not concern the client, but the ID of the holder's trace, if it is known. An application's own
 * handlers of these exceptions take precedence.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
record LockProblemDetails(LockProperties.ProblemDetails settings) {

    private static final Logger log = LoggerFactory.getLogger(LockProblemDetails.class);

    @ExceptionHandler
    ResponseEntity<ProblemDetail> notAcquired(LockNotAcquiredException contention) {
        ResponseEntity<ProblemDetail> response =
                answer(settings.status(), "This resource is locked by another request. Try again later.");
        contention
                .holder()
                .flatMap(LockHolder::traceId)
                .ifPresent(id -> Objects.requireNonNull(response.getBody()).setProperty("holderTraceId", id));
        return response;
    }

    @ExceptionHandler({LockStoreException.class, LockOverloadException.class})
    ResponseEntity<ProblemDetail> unavailable(LockException failure) {
        log.warn("Responding with status 503: {}", failure.getMessage());
        return answer(
                HttpStatus.SERVICE_UNAVAILABLE.value(), "The service is temporarily unavailable. Try again later.");
    }

    private ResponseEntity<ProblemDetail> answer(int code, String text) {
        ProblemDetail detail = ProblemDetail.forStatusAndDetail(HttpStatusCode.valueOf(code), text);
        // Rounded up: zero would make clients repeat the request immediately.
        long wholeSeconds = settings.retryAfter().plusSeconds(1).minusNanos(1).toSeconds();
        return ResponseEntity.of(detail)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(wholeSeconds))
                .build();
    }
}
