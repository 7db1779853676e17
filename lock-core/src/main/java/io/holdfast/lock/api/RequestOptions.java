package io.holdfast.lock.api;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** What is said of all locks of a request together. It is changed only before its request has it. */
final class RequestOptions {

    String name = "";
    Optional<Duration> lease = Optional.empty();
    Optional<Duration> waitFor = Optional.empty();
    Optional<Boolean> renew = Optional.empty();
    Optional<Duration> minHold = Optional.empty();
    Optional<Duration> maxHold = Optional.empty();
    Optional<Duration> warnAfter = Optional.empty();
    Optional<Duration> outageTolerance = Optional.empty();
    Optional<ReleaseMode> release = Optional.empty();
    int maxWaiting = LockRequest.UNLIMITED;
    boolean interruptOnLoss;

    RequestOptions copy() {
        RequestOptions copy = new RequestOptions();
        copy.name = name;
        copy.lease = lease;
        copy.waitFor = waitFor;
        copy.renew = renew;
        copy.minHold = minHold;
        copy.maxHold = maxHold;
        copy.warnAfter = warnAfter;
        copy.outageTolerance = outageTolerance;
        copy.release = release;
        copy.maxWaiting = maxWaiting;
        copy.interruptOnLoss = interruptOnLoss;
        return copy;
    }

    /** Each option that was set, by its name. */
    Map<String, Object> set() {
        Map<String, Object> set = new LinkedHashMap<>();
        if (!name.isEmpty()) {
            set.put("name", name);
        }
        lease.ifPresent(value -> set.put("lease", value));
        waitFor.ifPresent(value -> set.put("waitFor", value));
        renew.ifPresent(value -> set.put("renew", value));
        minHold.ifPresent(value -> set.put("minHold", value));
        maxHold.ifPresent(value -> set.put("maxHold", value));
        warnAfter.ifPresent(value -> set.put("warnAfter", value));
        outageTolerance.ifPresent(value -> set.put("outageTolerance", value));
        release.ifPresent(value -> set.put("release", value));
        if (maxWaiting != LockRequest.UNLIMITED) {
            set.put("maxWaiting", maxWaiting);
        }
        if (interruptOnLoss) {
            set.put("interruptOnLoss", true);
        }
        return set;
    }
}
