package io.holdfast.lock.spring.web;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockNotAcquiredException;
import java.time.Duration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers {@link LockNotAcquiredException} by a problem detail (RFC 9457) instead of status 500. Neither key nor holder is in
 * it, which are no matter of the client. An application's own handler of that exception comes first.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
final class LockProblemDetails {

    /** A lock that is renewed may be free long before its lease ends, or not for long after. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private final int status;

    LockProblemDetails(int status) {
        this.status = status;
    }

    @ExceptionHandler(LockNotAcquiredException.class)
    ResponseEntity<ProblemDetail> notAcquired(LockNotAcquiredException contention) {
        ProblemDetail detail = ProblemDetail.forStatus(status);
        detail.setDetail("Somebody else is working on this. Try again later.");
        return ResponseEntity.of(detail)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(secondsUntilFree(contention)))
                .build();
    }

    /** Rounded up; at least one. */
    private static long secondsUntilFree(LockNotAcquiredException contention) {
        Duration remaining = contention.holder().map(LockHolder::remaining).orElse(Duration.ZERO);
        Duration wait = remaining.compareTo(LONGEST_WAIT) < 0 ? remaining : LONGEST_WAIT;
        return Math.max(1, wait.plusMillis(999).toSeconds());
    }
}
