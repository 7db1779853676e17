package io.holdfast.lock.explore;

import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** What is explored of a quorum: three servers, clients that each want the lock alone. */
final class QuorumSetting {

    static final int SERVERS = 3;
    private static final int MAX_KNOWN = 100_000;
    static final long LEASE_MILLIS = 1_500;
    static final long LEASE = TimeUnit.MILLISECONDS.toNanos(LEASE_MILLIS);
    static final long QUANTUM = LEASE / 2;

    /** A restarted server waits for as long as the longest lease, and a hundredth more, since clocks drift. */
    static final long REJOIN_DELAY = LEASE + LEASE / 100 + TimeUnit.MILLISECONDS.toNanos(1);

    /** The clocks of servers differ, by less than a lease. */
    private static final long[] AHEAD = {0, TimeUnit.MILLISECONDS.toNanos(300), TimeUnit.MILLISECONDS.toNanos(700)};

    final ModelClock clock = new ModelClock();
    final ModelClock serverClock = new ModelClock();
    final int clients;

    /** What the store made of answers, and need not make of them again. */
    private final Map<Object, Object> known = new HashMap<>();

    /** Whether the steps are told in words. */
    boolean tracing;

    int tries = 1;
    int restarts;
    int failures;
    int renewals;
    boolean slowAnswers;
    boolean timeless;
    boolean clocksAgree;
    long block = 1;
    final Set<Defect> defects = EnumSet.noneOf(Defect.class);

    QuorumSetting(int clients) {
        this.clients = clients;
    }

    /** How often each client asks. */
    QuorumSetting tries(int number) {
        tries = number;
        return this;
    }

    /** How often a server is restarted without its data. */
    QuorumSetting restarts(int number) {
        restarts = number;
        return this;
    }

    /** How many calls get no answer, and may arrive at any time later, or never. */
    QuorumSetting failures(int number) {
        failures = number;
        return this;
    }

    /** How often a holder renews its lease, on two servers of three. */
    QuorumSetting renewals(int number) {
        renewals = number;
        return this;
    }

    /** Answers are on their way for any time; else the order in which calls arrive is that of their answers. */
    QuorumSetting slowAnswers() {
        slowAnswers = true;
        return this;
    }

    /** No time passes, so that only the order of things counts. */
    QuorumSetting timeless() {
        timeless = true;
        return this;
    }

    /** All servers' clocks show the same, so that one round is enough. */
    QuorumSetting clocksAgree() {
        clocksAgree = true;
        return this;
    }

    /** Who gets the lock reserves so many tokens, and uses the first half of them. */
    QuorumSetting block(long tokens) {
        block = tokens;
        return this;
    }

    QuorumSetting with(Defect defect) {
        defects.add(defect);
        return this;
    }

    @SuppressWarnings("unchecked")
    <T> T once(Object question, Supplier<T> answer) {
        if (known.size() > MAX_KNOWN) {
            known.clear();
        }
        return (T) known.computeIfAbsent(question, unused -> answer.get());
    }

    boolean has(Defect defect) {
        return defects.contains(defect);
    }

    /** The smallest token that a server may still give. */
    long tokenClock() {
        return clock.micros();
    }

    long ahead(int server) {
        return clocksAgree ? 0 : AHEAD[server];
    }

    @Override
    public String toString() {
        return "quorum, " + clients + " clients, " + tries + " tries, " + restarts + " restarts, " + failures
                + " failures, " + renewals + " renewals" + (slowAnswers ? ", slow answers" : "")
                + (timeless ? ", timeless" : "") + (clocksAgree ? ", clocks agree" : "")
                + (block == 1 ? "" : ", blocks of " + block + " tokens")
                + (defects.isEmpty() ? "" : ", with " + defects);
    }
}
