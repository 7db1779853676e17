package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.annotation.OnLost;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.coroutine.SuspendFunctions;
import io.holdfast.lock.spring.key.Condition;
import io.holdfast.lock.spring.key.KeySource;
import io.holdfast.lock.spring.result.ResultKind;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An annotation, checked and parsed: all that is left for a call is to evaluate the condition and the key.
 *
 * @param method the annotated method of the target class
 * @param caller the method's short name, for messages of contention
 * @param name what the definition is called, in properties and metrics: the annotation's name, or else the caller
 * @param key yields the keys
 * @param further what else is locked, if the method has several annotations
 * @param condition whether a call needs the lock
 * @param shape a request with everything but the keys of a call; not known before the application's properties are
 * @param times what a call says for itself of that request
 * @param onContention what to do when the lock is not free in time
 * @param onLost what to do when it was lost meanwhile
 * @param fallbacks what takes the place of the method when it cannot have the lock
 * @param returnType what the method returns in the bean's class, type variables resolved
 * @param result what kind of value that is
 */
public record LockDefinition(
        Method method,
        String caller,
        String name,
        KeySource key,
        List<FurtherLock> further,
        Condition condition,
        Supplier<LockRequest> shape,
        CallTimes times,
        OnContention onContention,
        OnLost onLost,
        Fallbacks fallbacks,
        Class<?> returnType,
        ResultKind result) {

    /**
     * The request of one call.
     *
     * @param target what the method is called on
     * @param targetClass its class
     * @param args the arguments of the call
     * @return what to lock, and how
     * @throws io.holdfast.lock.api.LockKeyException if the call has no key
     */
    public LockRequest request(@Nullable Object target, Class<?> targetClass, @Nullable Object[] args) {
        LockRequest request =
                times.applyTo(shape.get(), target, targetClass, args).keys(key.keysFor(target, targetClass, args));
        for (FurtherLock each : further) {
            request = request.and(each.request(target, targetClass, args));
        }
        return request;
    }

    /**
     * An annotated place in full: class, method, parameter types.
     *
     * @param method the annotated method
     * @param userClass the class of the bean
     * @return for messages
     */
    public static String describe(Method method, Class<?> userClass) {
        return describe(DistributedLock.class, method, userClass);
    }

    /**
     * An annotated place in full: class, method, parameter types.
     *
     * @param annotation which annotation it has
     * @param method the annotated method
     * @param userClass the class of the bean
     * @return for messages
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
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < SuspendFunctions.argumentCount(method); i++) {
            text.append(i == 0 ? "" : ", ").append(method.getParameterTypes()[i].getSimpleName());
        }
        return text.append(')').toString();
    }
}
