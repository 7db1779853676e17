package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.key.LockedPlace;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/** Reads what an annotation says of how to lock. */
final class SettingsParser {

    static final String LEASE = "lease";
    static final String MIN_HOLD = "minHold";

    private static final int UNSPECIFIED = -1;

    private final TimeAttribute times;

    SettingsParser(Placeholders placeholders) {
        this.times = new TimeAttribute(placeholders);
    }

    LockSettings parse(DistributedLock annotation, String where) {
        return new LockSettings(
                time(annotation, where, lease(annotation)),
                time(annotation, where, waitFor(annotation)),
                annotation.renew() ? Optional.empty() : Optional.of(false),
                time(annotation, where, minHold(annotation)),
                Optional.empty(),
                Optional.empty(),
                annotation.fair() ? Optional.of(true) : Optional.empty(),
                limit(annotation, where),
                Optional.empty(),
                Optional.empty());
    }

    /** The times that are numbers of seconds, as they are written. */
    List<TimeAttribute.Given> numbers(DistributedLock annotation) {
        return annotation.timeUnit() != TimeUnit.SECONDS
                ? List.of()
                : Stream.of(lease(annotation), waitFor(annotation), minHold(annotation))
                        .filter(given -> given.number() != DistributedLock.UNSPECIFIED)
                        .toList();
    }

    /** What each call says for itself. */
    CallTimes parseCallTimes(DistributedLock annotation, LockedPlace place) {
        CallTimes found = new CallTimes();
        add(found, lease(annotation), LockRequest::lease, annotation, place);
        add(found, waitFor(annotation), LockRequest::waitFor, annotation, place);
        add(found, minHold(annotation), LockRequest::minHold, annotation, place);
        return found;
    }

    private void add(
            CallTimes found,
            TimeAttribute.Given given,
            BiFunction<LockRequest, Duration, LockRequest> setting,
            DistributedLock annotation,
            LockedPlace place) {
        times.expression(given, annotation.timeUnit(), place)
                .ifPresent(expression -> found.add(given.name(), expression, setting));
    }

    private Optional<Duration> time(DistributedLock annotation, String where, TimeAttribute.Given given) {
        return times.parse(given, annotation.timeUnit(), where);
    }

    private static TimeAttribute.Given lease(DistributedLock annotation) {
        return new TimeAttribute.Given(LEASE, annotation.lease(), annotation.leaseString(), LockRequest.MIN_LEASE);
    }

    private static TimeAttribute.Given waitFor(DistributedLock annotation) {
        long number = annotation.waitFor() == DistributedLock.UNLIMITED
                ? annotation.timeUnit().convert(LockRequest.MAX_TIME)
                : annotation.waitFor();
        return new TimeAttribute.Given("waitFor", number, annotation.waitForString(), Duration.ZERO);
    }

    private static TimeAttribute.Given minHold(DistributedLock annotation) {
        return new TimeAttribute.Given(MIN_HOLD, annotation.minHold(), annotation.minHoldString(), Duration.ZERO);
    }

    static Optional<Integer> limit(DistributedLock annotation, String where) {
        int limit = annotation.limit();
        if (limit == UNSPECIFIED || limit == LockAnnotations.PERMITS_OF_PROPERTIES) {
            return Optional.empty();
        }
        if (annotation.mode() == LockMode.EXCLUSIVE) {
            throw new LockDefinitionException(
                    where + " has limit = " + limit + ", but mode = EXCLUSIVE.",
                    "Add mode = LockMode.SHARED, or remove the limit.");
        }
        if (limit < 1) {
            throw new LockDefinitionException(
                    where + " has limit = " + limit + ", which is invalid.",
                    "limit must be 1 or more; omit it for no limit. In @DistributedSemaphore, this attribute is named permits.");
        }
        return Optional.of(limit);
    }
}
