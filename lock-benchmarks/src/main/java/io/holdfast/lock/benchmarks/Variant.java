package io.holdfast.lock.benchmarks;

import io.holdfast.lock.benchmarks.contention.Turns;
import io.holdfast.lock.benchmarks.contention.Window;
import java.util.List;

/**
 * The durations of all measurements.
 *
 * <p>The warm-up is long: after 3 s, C2 still compiled a client in the window, and took time from it, with a single thread most of all.
 *
 * @param rounds how many rounds over all rows and peers, each in new JVMs
 * @param jmh the window for uncontended locks
 * @param contended the window for contended locks
 * @param counted the window where commands are counted
 * @param handOvers how many hand-overs there are in each round
 * @param holdMillis how long many locks are held
 * @param shortHoldsMillis how long one lock is acquired again and again
 * @param everyPeer whether peers that no bar needs are measured, too
 */
record Variant(
        int rounds,
        Window jmh,
        Window contended,
        Window counted,
        Turns handOvers,
        long holdMillis,
        long shortHoldsMillis,
        boolean everyPeer) {

    private static final Variant FULL = new Variant(
            5,
            new Window(15_000, 5_000),
            new Window(6_000, 6_000, 5_000),
            new Window(500, 5_000),
            new Turns(3_000, 10_000, 1_000),
            30_000,
            300_000,
            true);

    private static final Variant QUICK = new Variant(
            1,
            new Window(1_000, 1_000),
            new Window(500, 1_000, 1_000),
            new Window(300, 700),
            new Turns(300, 1_500, 300),
            6_000,
            20_000,
            false);

    /** {@return for the page, how long things were measured} */
    List<String> lines() {
        return List.of(
                "Rounds: " + rounds + ", in new JVMs each",
                "Uncontended: " + seconds(jmh) + "; contended: " + seconds(contended));
    }

    private static String seconds(Window window) {
        return (window.apartMillis() + window.warmUpMillis()) / 1000.0 + " s of warm-up, " + window.millis() / 1000.0
                + " s measured";
    }

    Variant withRounds(int number) {
        return new Variant(number, jmh, contended, counted, handOvers, holdMillis, shortHoldsMillis, everyPeer);
    }

    static Variant named(String name) {
        return switch (name) {
            case "full" -> FULL;
            case "quick" -> QUICK;
            default -> throw new IllegalArgumentException("Unknown variant " + name + "; use full or quick");
        };
    }
}
