package io.holdfast.lock.spring;

import io.holdfast.lock.api.LockRequest;
import java.lang.reflect.Method;

/**
 * Customizes the lock request of annotated methods. Beans of this type are called in order for each call of a locked method;
 * the result of the last one is used.
 *
 * <pre>{@code
 * @Bean
 * LockRequestCustomizer shorterInTests() {
 *     return (request, method) -> request.waitFor(Duration.ofMillis(100));
 * }
 * }</pre>
 *
 * <p>Runs on the thread of the call, before the lock is requested, and should not block. If it throws an exception, the method
 * does not run.
 */
@FunctionalInterface
public interface LockRequestCustomizer {

    /**
     * Customizes a request.
     *
     * @param request the request as configured by the annotation, {@code holdfast.locks} and {@code holdfast.*}, with the
     *     keys of this call and the name of its definition
     * @param method the annotated method
     * @return the request to use: the given request or another one, which may have different keys
     */
    LockRequest customize(LockRequest request, Method method);
}
