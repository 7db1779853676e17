package io.holdfast.lock.memory;

/** Points in time on a monotonic clock. Compared by difference, since it may wrap. */
final class Times {

    private Times() {}

    static boolean isOver(long end, long now) {
        return end - now <= 0;
    }

    static long later(long a, long b) {
        return a - b >= 0 ? a : b;
    }
}
