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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What came of a run for one crew. Its lines have the figures of the table in {@code docs/internals/faults.md}.
 *
 * @param topology of the servers, and how they were used
 * @param violations those that nothing explains
 * @param documented two holders at a time, or their tokens, of which the documentation says that a fault causes them, and
 *     until when
 */
record Report(
        String topology,
        History history,
        List<Fault.Past> faults,
        List<Violation> violations,
        List<Violation> documented) {

    private static final Set<String> EXPECTED =
            Set.of("LockNotAcquiredException", "LockStoreException", "LockLostException");

    static Report of(String topology, History history, List<Fault.Past> faults) {
        Map<Boolean, List<Violation>> explained = Check.violations(history).stream()
                .collect(
                        Collectors.partitioningBy(each -> faults.stream().anyMatch(fault -> isExplained(each, fault))));
        return new Report(topology, history, faults, explained.get(false), explained.get(true));
    }

    /** A former holder hands its lock on within its client, with smaller tokens, until it finds out that it lost it. */
    private static boolean isExplained(Violation violation, Fault.Past fault) {
        return violation.promise() != Promise.FINALITY && fault.explains(violation.from(), violation.to());
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

    /**
     * Topology, faults, grants, losses, violations of exclusion and of the order of tokens, those that are documented, longest time without a grant of a lock and of a permit.
     */
    String row() {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %,d | %d | %d | %d | %d | %s | %s |",
                topology,
                counted(),
                history.grants().size(),
                history.losses(),
                violations(Promise.EXCLUSION) + violations(Promise.FINALITY),
                violations(Promise.TOKENS),
                documented.size(),
                seconds(longest(gapsOfLocks())),
                seconds(longest(gapsOfPermits())));
    }

    private String counted() {
        Map<String, Long> counts =
                faults.stream().collect(Collectors.groupingBy(Fault.Past::name, TreeMap::new, Collectors.counting()));
        return counts.entrySet().stream()
                .map(each -> each.getKey() + " (" + each.getValue() + ")")
                .collect(Collectors.joining(", "));
    }

    /** The longest time without a grant that ended after each fault. */
    private Map<String, Gap> gapsOfLocks() {
        return longestGaps(use -> use != Use.PERMIT);
    }

    /** As {@link #gapsOfLocks}. On a quorum permits need more servers than locks. */
    private Map<String, Gap> gapsOfPermits() {
        return longestGaps(use -> use == Use.PERMIT);
    }

    private Map<String, Gap> longestGaps(Predicate<Use> uses) {
        Map<String, Gap> longest = new TreeMap<>();
        for (Gap gap : Availability.gaps(history)) {
            if (uses.test(Use.of(gap.key()))) {
                longest.merge(lastBefore(gap.to()), gap, Report::longer);
            }
        }
        return longest;
    }

    private static Duration longest(Map<String, Gap> gaps) {
        return gaps.values().stream().map(Gap::length).max(Duration::compareTo).orElse(Duration.ZERO);
    }

    private static Gap longer(Gap one, Gap other) {
        return one.length().compareTo(other.length()) > 0 ? one : other;
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
        Map<String, Gap> permits = gapsOfPermits();
        String gaps = lines(gapsOfLocks().entrySet().stream()
                .map(each -> String.format(
                        "| %s | %s | %s | %s | %s |",
                        topology,
                        each.getKey(),
                        seconds(each.getValue().length()),
                        lastBefore(each.getValue().from()),
                        Optional.ofNullable(permits.get(each.getKey()))
                                .map(gap -> seconds(gap.length()) + " | " + lastBefore(gap.from()))
                                .orElse("0.0 s | "))));
        String rest = lines(Stream.of(
                        List.of("failures " + history.failures()),
                        violations,
                        List.of("documented"),
                        documented,
                        faults)
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
