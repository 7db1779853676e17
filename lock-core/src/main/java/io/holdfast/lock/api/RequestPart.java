package io.holdfast.lock.api;

/**
 * One of the locks of a request.
 *
 * @param key what is locked
 * @param mode exclusive or shared
 * @param limit how many may hold the lock together: 1 if exclusive; 1 to {@link LockRequest#UNLIMITED} if shared
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

    static RequestPart of(LockKey key) {
        return new RequestPart(key, LockMode.EXCLUSIVE, 1, 1, false);
    }

    RequestPart withKey(LockKey other) {
        return new RequestPart(other, mode, limit, weight, fair);
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
