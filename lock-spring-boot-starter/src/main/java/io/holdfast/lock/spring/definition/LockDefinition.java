package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.key.KeySource;
import io.holdfast.lock.spring.result.ResultKind;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

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
public record LockDefinition(
        Method method,
        String caller,
        KeySource key,
        Optional<Duration> lease,
        Optional<Duration> waitFor,
        boolean renew,
        OnContention onContention,
        ResultKind result) {

    /**
     * The request of one call.
     *
     * @param target what the method is called on
     * @param targetClass its class
     * @param args the arguments of the call
     * @param defaultWait how long to wait where the annotation says nothing
     * @return what to lock, and how
     * @throws io.holdfast.lock.api.LockKeyException if the call has no key
     */
    public LockRequest request(
            @Nullable Object target, Class<?> targetClass, @Nullable Object[] args, Duration defaultWait) {
        LockKey lockKey = key.keyFor(target, targetClass, args);
        LockRequest request = LockRequest.of(lockKey).waitFor(waitFor.orElse(defaultWait));
        if (lease.isPresent()) {
            request = request.lease(lease.get());
        }
        return renew ? request : request.renew(false);
    }

    /**
     * An annotated place in full: class, method, parameter types.
     *
     * @param method the annotated method
     * @param userClass the class of the bean
     * @return for messages
     */
    public static String describe(Method method, Class<?> userClass) {
        return "@DistributedLock on " + ClassUtils.getQualifiedMethodName(method, userClass) + parameters(method);
    }

    private static String parameters(Method method) {
        StringBuilder text = new StringBuilder("(");
        for (Class<?> type : method.getParameterTypes()) {
            text.append(text.length() > 1 ? ", " : "").append(type.getSimpleName());
        }
        return text.append(')').toString();
    }
}
