package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.key.TimeExpression;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** The times of a definition that each call says for itself. */
final class CallTimes {

    private record CallTime(
            String attribute, TimeExpression expression, BiFunction<LockRequest, Duration, LockRequest> setting) {}

    private final List<CallTime> times = new ArrayList<>();

    void add(String attribute, TimeExpression expression, BiFunction<LockRequest, Duration, LockRequest> setting) {
        times.add(new CallTime(attribute, expression, setting));
    }

    /** Whether each call says that attribute for itself. */
    boolean have(String attribute) {
        return times.stream().anyMatch(each -> each.attribute().equals(attribute));
    }

    LockRequest applyTo(LockRequest request, @Nullable Object target, Class<?> targetClass, @Nullable Object[] args) {
        LockRequest changed = request;
        for (CallTime each : times) {
            changed = each.expression().applyTo(changed, each.setting(), target, targetClass, args);
        }
        return changed;
    }
}
