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
 * @param where the annotated place in full, for messages
 * @param caller the method's short name, for messages about contention
 * @param locks what is locked, all or none; the first one specifies everything that applies to the call as a whole
 * @param scope yields what expressions of a call see
 * @param condition whether a call needs the lock; null if each does
 * @param onContention what to do when the lock is not free in time
 * @param onLost what to do when it was lost in the meantime
 * @param fallbacks what takes the place of the method when it cannot acquire the lock
 * @param returnType what the method returns in the bean's class, type variables resolved
 * @param result what kind of value that is
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
        ResultKind result) {

    /**
     * What one annotation locks.
     *
     * @param name of the annotation, or else the caller
     * @param keys yields the keys of a call
     * @param shape a request with everything but the keys of a call; not known before the application's properties are
     */
    public record Lock(String name, LockKeys keys, Supplier<LockRequest> shape) {

        private LockRequest request(LockExpression.Call call) {
            return shape.get().keys(keys.of(call));
        }
    }

    /** {@return what the operation is called in properties and metrics} */
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
     * {@return an annotated place in full: class, method, parameter types}
     *
     * @param annotation which annotation it has
     * @param method the annotated method
     * @param userClass the class of the bean
     */
    public static String describe(Class<? extends Annotation> annotation, Method method, Class<?> userClass) {
        return "@" + annotation.getSimpleName() + " method " + userClass.getName() + '.' + KotlinNames.of(method)
                + parameters(method);
    }

    /**
     * {@return the types of a method's parameters, in brackets}
     *
     * @param method an annotated method
     */
    public static String parameters(Method method) {
        return Stream.of(method.getParameterTypes())
                .limit(SuspendFunctions.argumentCount(method))
                .map(Class::getSimpleName)
                .collect(Collectors.joining(", ", "(", ")"));
    }
}
