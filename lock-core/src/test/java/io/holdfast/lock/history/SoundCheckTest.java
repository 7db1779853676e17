package io.holdfast.lock.history;

import static io.holdfast.lock.history.HandMadeRecord.EXCLUSIVE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Records of locks that keep their promises, however late the processes learn and write down what happens: none of them
 * may be called a violation.
 */
class SoundCheckTest {

    private static final int HISTORIES = 300;
    private static final int HOLDS = 40;
    private static final int PERMITS = 3;
    private static final int LONGEST = 50;

    private HandMadeRecord record;
    private Random random;
    private long handle;
    private long token;

    @ParameterizedTest
    @ValueSource(ints = {0, 10, 1000})
    void promises_that_were_kept_are_not_called_broken(int longestDelay) {
        for (int seed = 0; seed < HISTORIES; seed++) {
            record = new HandMadeRecord();
            random = new Random(seed);
            long now = 10_000;
            for (int i = 0; i < HOLDS; i++) {
                now = random.nextBoolean() ? holdAlone(now, longestDelay) : holdTogether(now, longestDelay);
            }
            assertThat(Check.violations(record.history())).as("seed " + seed).isEmpty();
        }
    }

    private long holdAlone(long from, int longestDelay) {
        long to = from + random.nextInt(LONGEST);
        hold(EXCLUSIVE, from, to, longestDelay);
        return to + 1;
    }

    /** Permits, taken one after the other. */
    private long holdTogether(long from, int longestDelay) {
        long end = from;
        for (int i = 0; i < PERMITS; i++) {
            long begin = from + (long) i * LONGEST / PERMITS;
            long to = begin + random.nextInt(LONGEST);
            hold(PERMITS, begin, to, longestDelay);
            end = Math.max(end, to);
        }
        return end + 1;
    }

    /** The store holds it from one time to the other; the calls and answers take longer. */
    private void hold(int limit, long from, long to, int longestDelay) {
        handle++;
        token += 1 + random.nextInt(5);
        long known = from + delay(longestDelay);
        record.granted(handle, limit, token, from - delay(longestDelay), known);
        for (long at = from; at <= to; at += 1 + random.nextInt(LONGEST / 4)) {
            long asked = Math.max(known, at - delay(longestDelay));
            known = Math.max(asked, at) + delay(longestDelay);
            if (asked <= at) {
                record.held(handle, asked, known);
            }
        }
        record.notHeld(handle, Math.max(known, to + 1), Math.max(known, to + 1) + delay(longestDelay));
    }

    private int delay(int longest) {
        return random.nextInt(longest + 1);
    }
}
