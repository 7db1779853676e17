package io.holdfast.lock.history;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A promise that was certainly broken.
 *
 * @param witnesses the attempts that show it
 */
public record Violation(Promise promise, String what, List<Attempt> witnesses) {

    /** What is checked. */
    public enum Promise {
        /** An exclusive lock has one holder, a shared one as many as its limit. */
        EXCLUSION,
        /** Tokens of a key increase over its grants. */
        TOKENS,
        /** What is lost stays lost. */
        FINALITY
    }

    private static final Comparator<Attempt> GREATER_THEN_EARLIER = Comparator.comparingLong(Attempt::token)
            .thenComparing(Comparator.comparingLong(Attempt::returned).reversed());

    static Violation of(Promise promise, String what, Attempt... witnesses) {
        return new Violation(promise, what, Arrays.asList(witnesses));
    }

    /**
     * {@return when it began, at the earliest: when two or more of them were certainly held together, or, if tokens are in the
     * wrong order, when the greater one was granted} Nothing was wrong before that, even if the lesser one had been granted, but was held
     * only later: then the greater grant should have waited for its end.
     */
    public long from() {
        return promise == Promise.TOKENS
                ? witnesses.stream().max(GREATER_THEN_EARLIER).orElseThrow().returned()
                : witnesses.stream()
                        .mapToLong(each -> Math.min(each.heldBy(), each.heldStill()))
                        .max()
                        .orElseThrow();
    }

    /** {@return when it was over, at the latest: when they were certainly held together, or when the last of them was granted} */
    public long to() {
        return promise == Promise.TOKENS
                ? witnesses.stream().mapToLong(Attempt::returned).max().orElseThrow()
                : witnesses.stream()
                        .mapToLong(each -> Math.max(each.heldBy(), each.heldStill()))
                        .min()
                        .orElseThrow();
    }

    @Override
    public String toString() {
        return promise + ": " + what
                + witnesses.stream().map(each -> "\n    " + each).collect(Collectors.joining());
    }
}
