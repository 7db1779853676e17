package io.holdfast.lock.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Times during which somebody asked for a lock all the time, and nobody was granted it, or said to hold it.
 *
 * <p>Whoever asks in a row, with no more than {@link #BETWEEN_CALLS_NANOS} between two calls, asks all the time. A lock
 * serves from its grant until its holder has said for the last time that it is held.
 */
public final class Availability {

    private static final long BETWEEN_CALLS_NANOS = 100_000_000;

    /**
     * A time without a grant.
     *
     * @param from on the clock of the record
     * @param to on the clock of the record
     */
    public record Gap(String key, long from, long to) {

        public Duration length() {
            return Duration.ofNanos(to - from);
        }
    }

    private record Span(long from, long to) {}

    private Availability() {}

    /** {@return all gaps of all keys} */
    public static List<Gap> gaps(History history) {
        Map<String, List<Attempt>> byKey = history.attempts().stream().collect(Collectors.groupingBy(Attempt::key));
        List<Gap> gaps = new ArrayList<>();
        byKey.forEach((key, attempts) -> gaps.addAll(gaps(key, attempts)));
        return gaps;
    }

    private static List<Gap> gaps(String key, List<Attempt> attempts) {
        List<Span> asked = merged(spans(attempts, each -> new Span(each.invoked(), each.ended())), BETWEEN_CALLS_NANOS);
        List<Attempt> grants = attempts.stream().filter(Attempt::isGranted).toList();
        List<Span> served = merged(
                spans(grants, each -> new Span(each.returned(), Math.max(each.returned(), each.heldStill()))), 0);
        List<Gap> gaps = new ArrayList<>();
        int next = 0;
        long servedUntil = Long.MIN_VALUE;
        for (Span span : asked) {
            while (next < served.size() && served.get(next).from <= span.to) {
                addGap(gaps, key, Math.max(span.from, servedUntil), served.get(next).from);
                servedUntil = served.get(next).to;
                next++;
            }
            addGap(gaps, key, Math.max(span.from, servedUntil), span.to);
        }
        return gaps;
    }

    private static void addGap(List<Gap> gaps, String key, long from, long to) {
        if (from < to) {
            gaps.add(new Gap(key, from, to));
        }
    }

    private static List<Span> spans(Collection<Attempt> attempts, Function<Attempt, Span> span) {
        return attempts.stream()
                .map(span)
                .sorted(Comparator.comparingLong(Span::from))
                .toList();
    }

    /** Joins those that are no further apart. */
    private static List<Span> merged(List<Span> byBeginning, long apart) {
        List<Span> merged = new ArrayList<>();
        for (Span span : byBeginning) {
            Span last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last != null && span.from - last.to <= apart) {
                merged.set(merged.size() - 1, new Span(last.from, Math.max(last.to, span.to)));
            } else {
                merged.add(span);
            }
        }
        return merged;
    }
}
