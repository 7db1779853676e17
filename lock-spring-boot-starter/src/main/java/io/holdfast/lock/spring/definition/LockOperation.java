package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.annotation.OnLost;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.coroutine.SuspendFunctions;
import io.holdfast.lock.spring.key.LockExpression;
import io.holdfast.lock.spring.key.LockKeys;
import io.holdfast.lock.spring.result.ResultKind;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How a method is locked: all that is left for a call is to evaluate the condition and the keys.
 *
 * @param method the annotated method of the target class
 * @param where the full description of the annotated element, for messages
 * @param caller the method's short name, for messages about contention
 * @param locks what is locked, all or none; the first one specifies everything that applies to the call as a whole
 * @param scope creates the evaluation context of a call
 * @param condition whether a call needs the lock; null if every call does
 * @param onContention what to do if the lock is not free in time
 * @param onLost what to do if it was lost in the meantime
 * @param fallbacks the methods that take the place of the method if it cannot acquire the lock
 * @param returnType what the method returns in the bean's class, type variables resolved
 * @param result what kind of value that is
 * @param isJob whether the annotation is {@link io.holdfast.lock.spring.annotation.OnOneInstance}
 */
public record LockOperation(
        Method method,
        String where,
        String caller,
        List<Lock> locks,
        LockExpression.Scope scope,
        @Nullable LockExpression condition,
        OnContention onContention,
        OnLost onLost,
        Fallbacks fallbacks,
        Class<?> returnType,
        ResultKind result,
        boolean isJob) {

    /**
     * What one annotation locks.
     *
     * @param name the name in the annotation, or else the caller
     * @param keys yields the keys of a call
     * @param shape a request with everything but the keys of a call; not available before the application's properties are
     */
    public record Lock(String name, LockKeys keys, Supplier<LockRequest> shape) {

        private LockRequest request(LockExpression.Call call) {
            return shape.get().keys(keys.of(call));
        }
    }

    /** {@return the name of the operation in properties and metrics} */
    public String name() {
        return locks.get(0).name();
    }

    /**
     * {@return what one call locks, and how}
     *
     * @param call the call
     * @throws LockKeyException if the call has no key
     */
    public LockRequest request(LockExpression.Call call) {
        LockRequest request = locks.get(0).request(call);
        for (int i = 1; i < locks.size(); i++) {
            request = request.and(locks.get(i).request(call));
        }
        return request;
    }

    /**
     * {@return the full description of an annotated method: annotation, class, method, parameter types}
     *
     * @param annotation the annotation
     * @param method the annotated method
     * @param userClass the class of the bean
     */
    public static String describe(Class<? extends Annotation> annotation, Method method, Class<?> userClass) {
        return "@" + annotation.getSimpleName() + " method " + userClass.getName() + '.' + signature(method);
    }

    /**
     * {@return the name of a method and the types of its parameters}
     *
     * @param method an annotated method, or a fallback
     */
    public static String signature(Method method) {
        return KotlinNames.of(method) + parameters(method);
    }

    /**
     * {@return the types of a method's parameters, in parentheses}
     *
     * @param method an annotated method
     */
    static String parameters(Method method) {
        return Stream.of(method.getParameterTypes())
                .limit(SuspendFunctions.argumentCount(method))
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
