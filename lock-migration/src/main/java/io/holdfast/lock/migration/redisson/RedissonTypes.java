package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.code.Templates;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** Types and factories of Redisson's locks. */
final class RedissonTypes {

    static final String CLIENT = "org.redisson.api.RedissonClient";
    static final String LOCK = "org.redisson.api.RLock";
    static final String FENCED_LOCK = "org.redisson.api.RFencedLock";
    static final String READ_WRITE_LOCK = "org.redisson.api.RReadWriteLock";
    static final String SEMAPHORE = "org.redisson.api.RSemaphore";

    static final MethodMatcher MULTI_LOCK = factory("getMultiLock(org.redisson.api.RLock...)");
    static final MethodMatcher FAIR_LOCK = factory("getFairLock(String)");
    static final MethodMatcher READ_WRITE = factory("getReadWriteLock(String)");
    static final MethodMatcher GET_SEMAPHORE = factory("getSemaphore(String)");
    static final MethodMatcher PLAIN_LOCK = factory("getLock(String)");
    private static final MethodMatcher SPIN_LOCK = factory("getSpinLock(String)");
    private static final MethodMatcher GET_FENCED_LOCK = factory("getFencedLock(String)");
    static final MethodMatcher ANY = factory("get*(..)");

    private static final Map<String, String> COUNTERPARTS = Map.of(
            LOCK, Templates.LOCK,
            FENCED_LOCK, Templates.LOCK,
            SEMAPHORE, Templates.LOCK,
            READ_WRITE_LOCK, Templates.READ_WRITE_LOCK);

    private RedissonTypes() {}

    private static MethodMatcher factory(String signature) {
        return new MethodMatcher(CLIENT + " " + signature, true);
    }

    static boolean isFactory(J.MethodInvocation call) {
        return ANY.matches(call) && isLock(call.getType());
    }

    static boolean isKnownFactory(J.MethodInvocation call) {
        return PLAIN_LOCK.matches(call)
                || SPIN_LOCK.matches(call)
                || FAIR_LOCK.matches(call)
                || GET_FENCED_LOCK.matches(call)
                || READ_WRITE.matches(call)
                || GET_SEMAPHORE.matches(call)
                || MULTI_LOCK.matches(call);
    }

    static boolean isClient(@Nullable JavaType type) {
        return TypeUtils.isOfClassType(type, CLIENT);
    }

    static boolean isLock(@Nullable JavaType type) {
        return counterpart(type) != null;
    }

    static boolean is(@Nullable JavaType type, String name) {
        return TypeUtils.isOfClassType(type, name);
    }

    /** The Holdfast type that replaces this one, or null if this is not a Redisson lock. */
    static @Nullable String counterpart(@Nullable JavaType type) {
        JavaType.FullyQualified named = TypeUtils.asFullyQualified(type);
        return named == null ? null : COUNTERPARTS.get(named.getFullyQualifiedName());
    }
}
