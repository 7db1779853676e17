package io.holdfast.lock.api;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * One of the locks of a request.
 *
 * @param key what is locked
 * @param mode exclusive or shared
 * @param limit how many callers may hold the lock at the same time: 1 if exclusive; 1 to {@link LockRequest#UNLIMITED} if
 *     shared
 * @param weight how much of the limit this request takes
 * @param fair whether the lock is granted strictly in the order in which requests arrived at the store
 */
record RequestPart(LockKey key, LockMode mode, int limit, int weight, boolean fair) {

    RequestPart {
        if (limit < 1 || (mode == LockMode.EXCLUSIVE && limit != 1)) {
            throw new IllegalArgumentException("limit is " + limit + " for mode " + mode
                    + "; it must be 1 for EXCLUSIVE, and 1 or more for SHARED");
        }
        if (weight < 1 || weight > limit) {
            throw new IllegalArgumentException("weight is " + weight + "; it must be between 1 and the limit, which is "
                    + limit + " for mode " + mode);
        }
        if (weight > 1 && limit == LockRequest.UNLIMITED) {
            throw new IllegalArgumentException(
                    "weight is " + weight + ", but there is no limit: call shared(limit) first");
        }
    }

    /** One for each key, in the order of the keys. */
    static List<RequestPart> merged(List<RequestPart> parts) {
        Map<String, RequestPart> byKey = new TreeMap<>();
        parts.forEach(part -> byKey.merge(part.key.value(), part, RequestPart::and));
        return List.copyOf(byKey.values());
    }

    /** One is the common case, and every call of a locked method comes here. */
    static <T> List<RequestPart> each(Collection<T> sources, Function<T, RequestPart> toPart) {
        return sources.size() == 1
                ? List.of(toPart.apply(sources.iterator().next()))
                : sources.stream().map(toPart).toList();
    }

    static RequestPart of(LockKey key) {
        return new RequestPart(key, LockMode.EXCLUSIVE, 1, 1, false);
    }

    RequestPart withKey(LockKey other) {
        return new RequestPart(other, mode, limit, weight, fair);
    }

    RequestPart mapKey(UnaryOperator<String> change) {
        LockKey changed = LockKey.of(change.apply(key.value()));
        return withKey(key.isMasked() ? changed.masked() : changed);
    }

    RequestPart withWeight(int value) {
        return new RequestPart(key, mode, limit, value, fair);
    }

    RequestPart withFair(boolean value) {
        return new RequestPart(key, mode, limit, weight, value);
    }

    /** Merges two requests for one key: an exclusive lock includes a shared one. */
    RequestPart and(RequestPart other) {
        if (mode != other.mode) {
            return (mode == LockMode.EXCLUSIVE ? this : other).withFair(fair || other.fair);
        }
        if (limit != other.limit) {
            throw new LockKeyException("Lock '" + key + "' is requested twice in one request with different limits: "
                    + limit + " and " + other.limit + ". Use the same limit for both.");
        }
        return new RequestPart(key, mode, limit, Math.max(weight, other.weight), fair || other.fair);
    }
}
