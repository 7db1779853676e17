package io.holdfast.lock.migration.lock4j;

import io.holdfast.lock.migration.code.Attributes;
import io.holdfast.lock.migration.code.Constants;
import io.holdfast.lock.migration.code.LockAnnotation;
import java.util.Optional;
import java.util.OptionalLong;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;

/**
 * {@code expire} and {@code acquireTimeout} of {@code @Lock4j}, in milliseconds; an {@code expire} of zero or a negative time
 * stands for the default.
 */
record Times(Optional<Expression> expire, Optional<Expression> acquireTimeout, JavaSourceFile file) {

    private static final long MIN_LEASE_MILLIS = 100;

    static Times of(Attributes former, JavaSourceFile file) {
        return new Times(
                former.get("expire").filter(time -> isAtLeast(1, time, file)),
                former.get("acquireTimeout").filter(time -> isAtLeast(0, time, file)),
                file);
    }

    private static boolean isAtLeast(long millis, Expression time, JavaSourceFile file) {
        OptionalLong value = Constants.number(time, file);
        return value.isEmpty() || value.getAsLong() >= millis;
    }

    boolean isTooShort() {
        return expire.filter(time -> !isAtLeast(MIN_LEASE_MILLIS, time, file)).isPresent();
    }

    /** Times that are not whole seconds, or are not known here, are left in milliseconds. */
    private boolean areSeconds() {
        return isSeconds(expire) && isSeconds(acquireTimeout);
    }

    private boolean isSeconds(Optional<Expression> time) {
        return time.isEmpty() || seconds(time.get()).isPresent();
    }

    private OptionalLong seconds(Expression time) {
        OptionalLong millis = time instanceof J.Literal ? Constants.number(time, file) : OptionalLong.empty();
        return millis.isPresent() && millis.getAsLong() % 1000 == 0
                ? OptionalLong.of(millis.getAsLong() / 1000)
                : OptionalLong.empty();
    }

    /**
     * Without release, {@code expire} is the minimum time for which the lock is held; otherwise it ends the lock.
     *
     * @param withDefaultWait whether to write out how long Lock4j waits by default
     */
    void addTo(LockAnnotation annotation, boolean released, boolean withDefaultWait) {
        add(annotation, released ? "lease" : "minHold", expire);
        if (released && expire.isPresent()) {
            annotation.with("renew", "false");
        }
        if (acquireTimeout.isEmpty() && withDefaultWait) {
            annotation.with("waitFor", DefaultWait.SECONDS + (areSeconds() ? "" : "_000"));
        }
        add(annotation, "waitFor", acquireTimeout);
        if (!areSeconds()) {
            annotation.with("timeUnit", "TimeUnit.MILLISECONDS");
        }
    }

    private void add(LockAnnotation annotation, String attribute, Optional<Expression> time) {
        if (time.isPresent() && areSeconds()) {
            annotation.with(attribute, Long.toString(seconds(time.get()).orElseThrow()));
        } else if (time.isPresent()) {
            annotation.with(attribute, time.get(), "0");
        }
    }
}
