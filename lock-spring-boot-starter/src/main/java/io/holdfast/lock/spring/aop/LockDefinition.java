package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.annotation.OnContention;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;

/**
 * An annotation, checked and parsed: all that is left for a call is to evaluate the key.
 *
 * @param method the annotated method of the target class
 * @param caller the method's short name, for messages of contention
 * @param key yields the key
 * @param lease the lease, if given
 * @param waitFor the waiting limit, if given
 * @param renew false if the lease is a fixed limit
 * @param onContention what to do when the lock is not free in time
 * @param result what kind of value the method returns
 */
record LockDefinition(
        Method method,
        String caller,
        KeySource key,
        Optional<Duration> lease,
        Optional<Duration> waitFor,
        boolean renew,
        OnContention onContention,
        ResultKind result) {

    LockRequest request(LockKey lockKey, Duration defaultWait) {
        LockRequest request = LockRequest.of(lockKey).waitFor(waitFor.orElse(defaultWait));
        if (lease.isPresent()) {
            request = request.lease(lease.get());
        }
        return renew ? request : request.renew(false);
    }
}
