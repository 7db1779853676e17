package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.coroutine.SuspendFunctions;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the fallbacks of one annotated method, or says what does not fit. Since parameters must be the same, and the classes
 * of exceptions that are allowed stand in one line, there is never a doubt which one is meant.
 */
final class FallbackParser {

    static final String ATTRIBUTE = "fallbackMethod";

    private static final Class<?> CONTENTION = LockNotAcquiredException.class;
    private static final Class<?> STORE_FAILURE = LockStoreException.class;

    private final Method locked;
    private final Class<?> userClass;
    private final String where;
    private final String name;

    private FallbackParser(Method locked, Class<?> userClass, String where, String name) {
        this.locked = locked;
        this.userClass = userClass;
        this.where = where;
        this.name = name;
    }

    /**
     * {@return the fallbacks of a method}
     *
     * @param annotation names them
     * @param placeholders replaces those of the name
     * @param locked the annotated method
     * @param userClass the class of the bean
     * @param where the annotated place, for messages
     * @throws LockDefinitionException if there is none, or one does not fit
     */
    static Fallbacks parse(
            DistributedLock annotation, Placeholders placeholders, Method locked, Class<?> userClass, String where) {
        String name = placeholders.resolve(ATTRIBUTE, annotation.fallbackMethod(), where);
        if (name.isEmpty()) {
            return Fallbacks.NONE;
        }
        if (annotation.onContention() == OnContention.SKIP) {
            throw new LockDefinitionException(
                    where + " has both onContention = SKIP and fallbackMethod = \"" + name + "\".",
                    "Remove one of them. A fallback method with an empty body skips the call as well.");
        }
        return new FallbackParser(locked, userClass, where, name).find();
    }

    private Fallbacks find() {
        List<Method> candidates = candidates(this::mayRun);
        List<Method> fitting = candidates.stream().filter(this::hasParameters).toList();
        if (fitting.isEmpty()) {
            throw misfit(absence(candidates));
        }
        fitting.forEach(this::check);
        return new Fallbacks(ofContention(fitting), ofStoreFailure(fitting));
    }

    private String absence(List<Method> candidates) {
        if (candidates.isEmpty()) {
            List<Method> suspending = candidates(method -> true);
            return suspending.isEmpty()
                    ? "there is no such method"
                    : described(suspending.get(0)) + " is a suspend function, but the annotated one is not and has no"
                            + " coroutine to run the fallback in";
        }
        return candidates.stream().map(FallbackParser::described).sorted().collect(Collectors.joining(" and "))
                + (candidates.size() == 1 ? " does" : " do")
                + " not match: the parameters must be those of the annotated method";
    }

    private List<Method> candidates(Predicate<Method> which) {
        return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(userClass, this::hasItsName))
                .filter(which)
                .filter(method -> method.equals(AopUtils.getMostSpecificMethod(method, userClass)))
                .toList();
    }

    /** A suspend function in the place of a plain method would have no coroutine. */
    private boolean mayRun(Method method) {
        return !SuspendFunctions.isSuspending(method) || SuspendFunctions.isSuspending(locked);
    }

    private boolean hasItsName(Method method) {
        return KotlinNames.of(method).equals(name) && !method.isBridge() && !method.equals(locked);
    }

    /** Those of the locked method, and at most one more. */
    private boolean hasParameters(Method candidate) {
        int count = SuspendFunctions.argumentCount(locked);
        int more = SuspendFunctions.argumentCount(candidate) - count;
        if (more < 0 || more > 1) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (type(candidate, i) != type(locked, i)) {
                return false;
            }
        }
        return true;
    }

    private @Nullable Class<?> type(Method method, int parameter) {
        return ResolvableType.forMethodParameter(method, parameter, userClass).resolve(Object.class);
    }

    private void check(Method candidate) {
        Class<?> exception = exceptionOf(candidate);
        if (exception != null && !takes(candidate, CONTENTION) && exception != STORE_FAILURE) {
            throw misfit(described(candidate) + " takes " + exception.getSimpleName()
                    + ", but only LockNotAcquiredException or LockStoreException is passed to it");
        }
        Class<?> wanted = returnType(locked);
        if (!ClassUtils.isAssignable(wanted, returnType(candidate))) {
            throw misfit(described(candidate) + " returns "
                    + returnType(candidate).getSimpleName() + ", not " + wanted.getSimpleName());
        }
    }

    private Class<?> returnType(Method method) {
        return SuspendFunctions.isSuspending(locked)
                ? SuspendFunctions.declaredType(method)
                : ResolvableType.forMethodReturnType(method, userClass).resolve(Object.class);
    }

    private @Nullable Class<?> exceptionOf(Method candidate) {
        int count = SuspendFunctions.argumentCount(locked);
        return SuspendFunctions.argumentCount(candidate) == count ? null : type(candidate, count);
    }

    private boolean takes(Method candidate, Class<?> thrown) {
        Class<?> exception = exceptionOf(candidate);
        return exception != null && Throwable.class.isAssignableFrom(exception) && exception.isAssignableFrom(thrown);
    }

    private Fallbacks.@Nullable Fallback ofContention(List<Method> fitting) {
        Optional<Method> closest = fitting.stream()
                .filter(method -> takes(method, CONTENTION))
                .reduce((one, other) -> takes(other, exceptionRequired(one)) ? one : other);
        return closest.map(method -> fallback(method, true))
                .or(() -> fitting.stream()
                        .filter(method -> exceptionOf(method) == null)
                        .findFirst()
                        .map(method -> fallback(method, false)))
                .orElse(null);
    }

    private Class<?> exceptionRequired(Method method) {
        return Optional.<Class<?>>ofNullable(exceptionOf(method)).orElseThrow();
    }

    private Fallbacks.@Nullable Fallback ofStoreFailure(List<Method> fitting) {
        return fitting.stream()
                .filter(method -> exceptionOf(method) == STORE_FAILURE)
                .findFirst()
                .map(method -> fallback(method, true))
                .orElse(null);
    }

    private Fallbacks.Fallback fallback(Method method, boolean takesException) {
        ReflectionUtils.makeAccessible(method);
        return new Fallbacks.Fallback(method, takesException, SuspendFunctions.isSuspending(locked));
    }

    private static String described(Method candidate) {
        return KotlinNames.of(candidate) + LockDefinition.parameters(candidate);
    }

    private LockDefinitionException misfit(String problem) {
        String parameters = LockDefinition.parameters(locked);
        String inside = parameters.substring(1, parameters.length() - 1);
        String result = SuspendFunctions.declaredType(locked).getSimpleName();
        String comma = inside.isEmpty() ? "" : ", ";
        return new LockDefinitionException(
                where + " has fallbackMethod = \"" + name + "\", but " + problem + ".",
                "Declare in " + userClass.getSimpleName() + ": " + result + " " + name + parameters + ", or " + result
                        + " " + name + "(" + inside + comma + "LockNotAcquiredException); it may be private.");
    }
}
