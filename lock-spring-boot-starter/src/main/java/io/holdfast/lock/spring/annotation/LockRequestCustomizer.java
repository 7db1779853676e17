package io.holdfast.lock.spring.annotation;

import io.holdfast.lock.api.LockRequest;
import java.lang.reflect.Method;

/**
 * Has the last word on how an annotated method is locked. Beans of this type are asked at each call, in their order; what
 * the last one answers is used as it is.
 *
 * <pre>{@code
 * @Bean
 * LockRequestCustomizer shorterInTests() {
 *     return (request, method) -> request.waitFor(Duration.ofMillis(100));
 * }
 * }</pre>
 *
 * <p>It runs on the thread of the call, before the lock is waited for, and should not block. What it throws ends the call;
 * the method does not run.
 */
@FunctionalInterface
public interface LockRequestCustomizer {

    /**
     * Changes one request.
     *
     * @param request what the annotation, {@code holdfast.instances} and {@code holdfast.*} say, with the keys of this call and the
     *     name of its definition
     * @param method the annotated method
     * @return the request to use, which may be the same one; it may also have other keys
     */
    LockRequest customize(LockRequest request, Method method);
}
