package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.coroutine.SuspendFunctions;
import io.holdfast.lock.spring.result.SuspendSupport;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The methods that take the place of a locked method when it cannot acquire its lock. They run without it. Their parameters must
 * be the same, and the exceptions that are permitted for one failure form a single chain of superclasses, so the choice is never
 * ambiguous.
 */
public final class Fallbacks {

    private final Method locked;
    private final Class<?> userClass;
    private final String where;
    private final String name;
    private @Nullable Method contention;
    private @Nullable Method storeFailure;

    /** @throws LockConfigurationException if a name is given but no method has it, or one does not fit */
    Fallbacks(DistributedLock annotation, String name, Method locked, Class<?> userClass, String where) {
        this.locked = locked;
        this.userClass = userClass;
        this.where = where;
        this.name = name;
        if (name.isEmpty()) {
            return;
        }
        if (annotation.onContention() == OnContention.SKIP) {
            throw new LockConfigurationException(
                    where + " has both onContention = SKIP and fallbackMethod = \"" + name + "\".",
                    "Remove one of them. A fallback method with an empty body skips the call as well.");
        }
        find();
    }

    /**
     * Called if the lock was not acquired, because it was not free in time or because the store failed before the method began.
     *
     * @param reason why the lock was not acquired; thrown if there is no fallback for it
     * @param target the object on which the locked method was called
     * @param args the arguments of the call
     * @return what the fallback returns
     * @throws Throwable what the fallback throws
     */
    public @Nullable Object after(LockException reason, @Nullable Object target, @Nullable Object[] args)
            throws Throwable {
        Method fallback = reason instanceof LockNotAcquiredException ? contention : storeFailure;
        if (fallback == null) {
            throw reason;
        }
        int count = SuspendFunctions.argumentCount(fallback);
        @Nullable Object[] all = Arrays.copyOf(args, count);
        if (exceptionOf(fallback) != null) {
            all[count - 1] = reason;
        }
        return KotlinDetector.isSuspendingFunction(fallback)
                ? Objects.requireNonNull(SuspendSupport.PROVIDED).call(fallback, target, args[args.length - 1], all)
                : AopUtils.invokeJoinpointUsingReflection(target, fallback, all);
    }

    private void find() {
        List<Method> named = Stream.of(ReflectionUtils.getUniqueDeclaredMethods(userClass))
                .filter(each -> KotlinNames.of(each).equals(name) && !each.isBridge() && !each.equals(locked))
                .filter(each -> each.equals(AopUtils.getMostSpecificMethod(each, userClass)))
                .toList();
        List<Method> fitting = named.stream().filter(this::hasParameters).toList();
        if (fitting.isEmpty()) {
            String found = named.stream().map(LockOperation::signature).sorted().collect(Collectors.joining(" and "));
            throw misfit(
                    named.isEmpty()
                            ? "there is no such method"
                            : found + (named.size() == 1 ? " does" : " do")
                                    + " not match: the parameters must be those of the annotated method");
        }
        for (Method each : fitting) {
            requireFit(each);
            ReflectionUtils.makeAccessible(each);
            Class<?> exception = exceptionOf(each);
            if (exception == LockStoreException.class) {
                storeFailure = each;
            } else if (contention == null || isCloser(exception, exceptionOf(contention))) {
                contention = each;
            }
        }
    }

    /** The most specific exception wins, and any exception wins over none. */
    private static boolean isCloser(@Nullable Class<?> exception, @Nullable Class<?> other) {
        return exception != null && (other == null || other.isAssignableFrom(exception));
    }

    /** Whether a method has the parameters of the locked method, and at most one more. */
    private boolean hasParameters(Method candidate) {
        int count = SuspendFunctions.argumentCount(locked);
        int more = SuspendFunctions.argumentCount(candidate) - count;
        return (more == 0 || more == 1)
                && IntStream.range(0, count).allMatch(i -> type(candidate, i) == type(locked, i));
    }

    private Class<?> type(Method method, int parameter) {
        return ResolvableType.forMethodParameter(method, parameter, userClass).resolve(Object.class);
    }

    private @Nullable Class<?> exceptionOf(Method candidate) {
        int count = SuspendFunctions.argumentCount(locked);
        return SuspendFunctions.argumentCount(candidate) == count ? null : type(candidate, count);
    }

    private void requireFit(Method candidate) {
        if (KotlinDetector.isSuspendingFunction(candidate) && !KotlinDetector.isSuspendingFunction(locked)) {
            throw misfit(LockOperation.signature(candidate)
                    + " is a suspend function, but the annotated method is not and has no coroutine"
                    + " to run the fallback in");
        }
        Class<?> exception = exceptionOf(candidate);
        if (exception != null
                && exception != LockStoreException.class
                && !(Throwable.class.isAssignableFrom(exception)
                        && exception.isAssignableFrom(LockNotAcquiredException.class))) {
            throw misfit(LockOperation.signature(candidate) + " takes " + exception.getSimpleName()
                    + ", but only LockNotAcquiredException or LockStoreException is passed to it");
        }
        if (!ClassUtils.isAssignable(returnType(locked), returnType(candidate))) {
            throw misfit(LockOperation.signature(candidate) + " returns "
                    + returnType(candidate).getSimpleName() + ", not "
                    + returnType(locked).getSimpleName());
        }
    }

    private Class<?> returnType(Method method) {
        return KotlinDetector.isSuspendingFunction(locked)
                ? SuspendFunctions.declaredType(method)
                : ResolvableType.forMethodReturnType(method, userClass).resolve(Object.class);
    }

    private LockConfigurationException misfit(String problem) {
        String parameters = LockOperation.parameters(locked);
        String inside = parameters.substring(1, parameters.length() - 1);
        String declared = SuspendFunctions.declaredType(locked).getSimpleName() + " " + name;
        return new LockConfigurationException(
                where + " has fallbackMethod = \"" + name + "\", but " + problem + ".",
                "Declare in " + userClass.getSimpleName() + ": " + declared + parameters + ", or " + declared + "("
                        + inside + (inside.isEmpty() ? "" : ", ") + "LockNotAcquiredException); it may be private.");
    }
}
