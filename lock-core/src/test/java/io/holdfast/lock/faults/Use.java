package io.holdfast.lock.faults;

import io.holdfast.lock.api.LockRequest;
import java.util.Locale;
import java.util.Random;

/** How a lock is used; the first word of its key says so. */
enum Use {
    ALONE {
        @Override
        LockRequest request(LockRequest request, Random random) {
            return request;
        }
    },
    FAIRLY {
        @Override
        LockRequest request(LockRequest request, Random random) {
            return request.fair(true);
        }
    },
    /** As a read-write lock. */
    SHARED {
        @Override
        LockRequest request(LockRequest request, Random random) {
            return random.nextInt(3) == 0 ? request : request.shared();
        }
    },
    /** As a semaphore. */
    PERMIT {
        @Override
        LockRequest request(LockRequest request, Random random) {
            return request.shared(PERMITS);
        }
    };

    private static final int PERMITS = 2;

    abstract LockRequest request(LockRequest request, Random random);

    String key(int number) {
        return name().toLowerCase(Locale.ROOT) + "-" + number;
    }

    static Use of(String key) {
        return valueOf(key.substring(0, key.indexOf('-')).toUpperCase(Locale.ROOT));
    }
}
