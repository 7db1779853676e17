package io.holdfast.lock.sample;

import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockStoreException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Three outcomes, three answers: somebody else has the lock, Redis does not answer, the lock was lost. */
@RestControllerAdvice
class LockErrors {

    @ExceptionHandler
    ProblemDetail busy(LockNotAcquiredException contention) {
        return problem(HttpStatus.CONFLICT, "Another request holds the lock", contention);
    }

    @ExceptionHandler
    ProblemDetail unavailable(LockStoreException failure) {
        return problem(HttpStatus.SERVICE_UNAVAILABLE, "Redis is unavailable; nothing was done", failure);
    }

    @ExceptionHandler
    ProblemDetail lost(LockLostException loss) {
        return problem(HttpStatus.INTERNAL_SERVER_ERROR, "The lock was lost; check what was done", loss);
    }

    private static ProblemDetail problem(HttpStatus status, String title, Exception reason) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, reason.getMessage());
        problem.setTitle(title);
        return problem;
    }
}
