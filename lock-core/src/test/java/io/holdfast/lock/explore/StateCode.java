package io.holdfast.lock.explore;

import java.util.Arrays;

/**
 * Writes a state down so that states with the same future read the same.
 *
 * <ul>
 *   <li><b>Times</b> are written as what is left until then. What is over stays over, so all of it is one value; where clocks
 *       may step back, only what is over by more than they may.
 *   <li><b>Tokens</b> are compared with each other and with the clock that the next one is taken from, and nothing else is
 *       done with them. One that the clock has passed is below all that come: it is written as its rank among those of
 *       the state. Others are written as how far they are ahead of the clock.
 * </ul>
 */
final class StateCode {

    private static final long TOKEN_TAG = 0x746f_6b65_6e00_0000L;

    private long[] words = new long[256];
    private int size;
    private final long[] tokens = new long[64];
    private final int[] tokensAt = new int[64];
    private int tokenCount;

    StateCode reset() {
        size = 0;
        tokenCount = 0;
        return this;
    }

    void add(long word) {
        if (size == words.length) {
            words = Arrays.copyOf(words, 2 * size);
        }
        words[size++] = word;
    }

    void add(boolean flag) {
        add(flag ? 1 : 0);
    }

    void add(String text) {
        add(text.hashCode());
    }

    /**
     * A point in time.
     *
     * @param left from now until then, in any unit
     * @param clamp from where on more of the past is the same
     */
    void time(long left, long clamp) {
        add(Math.max(left, -clamp));
    }

    /** @param clock the smallest token that the clock would give now */
    void token(long token, long clock) {
        if (token == 0) {
            add(-1);
        } else if (token >= clock) {
            add(TOKEN_TAG + token - clock);
        } else {
            tokens[tokenCount] = token;
            tokensAt[tokenCount++] = size;
            add(0);
        }
    }

    long fingerprint() {
        rank(tokens, tokensAt, tokenCount);
        long hash = size;
        for (int i = 0; i < size; i++) {
            hash = mixed((hash ^ words[i]) + 0x9e37_79b9_7f4a_7c15L * (i + 1));
        }
        return hash;
    }

    private void rank(long[] values, int[] at, int count) {
        for (int i = 0; i < count; i++) {
            int below = 0;
            for (int other = 0; other < count; other++) {
                below += values[other] < values[i] && isFirst(values, other) ? 1 : 0;
            }
            words[at[i]] = below;
        }
    }

    private static boolean isFirst(long[] values, int at) {
        for (int i = 0; i < at; i++) {
            if (values[i] == values[at]) {
                return false;
            }
        }
        return true;
    }

    /** Stafford's variant 13 of the finalizer of MurmurHash3. */
    private static long mixed(long bits) {
        long hash = (bits ^ bits >>> 30) * 0xbf58_476d_1ce4_e5b9L;
        hash = (hash ^ hash >>> 27) * 0x94d0_49bb_1331_11ebL;
        return hash ^ hash >>> 31;
    }
}
