package io.holdfast.lock.explore;

/**
 * A set of 64-bit fingerprints, open addressing. Of 10^7 states two share a fingerprint with a probability of 3 in a
 * million; a state would then be missed, never a violation be made up.
 */
final class Fingerprints {

    private static final int FIRST_SIZE = 1 << 12;

    private long[] slots = new long[FIRST_SIZE];
    private int size;

    int size() {
        return size;
    }

    /** {@return whether it was new} */
    boolean add(long fingerprint) {
        long value = fingerprint == 0 ? 1 : fingerprint;
        if (2L * size >= slots.length) {
            grow();
        }
        return put(value);
    }

    private boolean put(long value) {
        int mask = slots.length - 1;
        int at = (int) (value ^ value >>> 32) & mask;
        while (slots[at] != 0) {
            if (slots[at] == value) {
                return false;
            }
            at = at + 1 & mask;
        }
        slots[at] = value;
        size++;
        return true;
    }

    private void grow() {
        long[] old = slots;
        slots = new long[2 * old.length];
        size = 0;
        for (long value : old) {
            if (value != 0) {
                put(value);
            }
        }
    }
}
