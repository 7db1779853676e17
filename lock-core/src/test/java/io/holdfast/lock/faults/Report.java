package io.holdfast.lock.faults;

import io.holdfast.lock.history.Availability;
import io.holdfast.lock.history.Availability.Gap;
import io.holdfast.lock.history.Check;
import io.holdfast.lock.history.History;
import io.holdfast.lock.history.Violation;
import io.holdfast.lock.history.Violation.Promise;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What came of a run for one crew. Its lines are rows of the tables in {@code docs/reliability.md}.
 *
 * @param topology of the servers, and how they were used
 */
record Report(String topology, History history, List<Fault.Past> faults, List<Violation> violations) {

    private static final Set<String> EXPECTED =
            Set.of("LockNotAcquiredException", "LockStoreException", "LockLostException");

    static Report of(String topology, History history, List<Fault.Past> faults) {
        return new Report(topology, history, faults, Check.violations(history));
    }

    long violations(Promise promise) {
        return violations.stream().filter(each -> each.promise() == promise).count();
    }

    /** Failures other than those that tell of contention, an unreachable store, or a loss. */
    Set<String> unexpectedFailures() {
        return history.failures().keySet().stream()
                .filter(each -> !EXPECTED.contains(each))
                .collect(Collectors.toSet());
    }

    /** Topology, faults, grants, losses, violations of exclusion and of the order of tokens, longest time without a grant. */
    String row() {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %,d | %d | %d | %d | %s |",
                topology,
                counted(),
                history.grants().size(),
                history.losses(),
                violations(Promise.EXCLUSION) + violations(Promise.FINALITY),
                violations(Promise.TOKENS),
                seconds(longestGaps().values().stream()
                        .max(Comparator.naturalOrder())
                        .orElse(Duration.ZERO)));
    }

    private String counted() {
        Map<String, Long> counts =
                faults.stream().collect(Collectors.groupingBy(Fault.Past::name, TreeMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .map(each -> each.getKey() + " (" + each.getValue() + ")")
                .collect(Collectors.joining(", "));
    }

    /** The longest time without a grant that followed each fault. */
    Map<String, Duration> longestGaps() {
        Map<String, Duration> longest = new TreeMap<>();
        for (Gap gap : Availability.gaps(history)) {
            longest.merge(lastBefore(gap.to()), gap.length(), (one, other) -> one.compareTo(other) > 0 ? one : other);
        }
        return longest;
    }

    private String lastBefore(long time) {
        return faults.stream()
                .filter(fault -> fault.from() <= time)
                .reduce((former, latter) -> latter)
                .map(Fault.Past::name)
                .orElse("none");
    }

    private static String seconds(Duration time) {
        return String.format(Locale.ROOT, "%.1f s", time.toMillis() / 1000.0);
    }

    /** Prints the row, and leaves it with the rest in {@code target/faults}. */
    void publish() throws IOException {
        String gaps = lines(longestGaps().entrySet().stream()
                .map(each -> "| " + topology + " | " + each.getKey() + " | " + seconds(each.getValue()) + " |"));
        String rest = lines(Stream.of(List.of("failures " + history.failures()), violations, faults)
                .flatMap(List::stream)
                .map(Object::toString));
        System.out.println(row());
        Path directory = Files.createDirectories(Path.of("target", "faults"));
        Files.writeString(
                directory.resolve(topology.replaceAll("\\W+", "-") + ".md"),
                String.join("\n", row(), "", gaps, "", rest, ""));
    }

    private static String lines(Stream<String> lines) {
        return lines.collect(Collectors.joining("\n"));
    }
}
