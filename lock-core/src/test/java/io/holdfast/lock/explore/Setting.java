package io.holdfast.lock.explore;

import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What is explored: who takes part, what may go wrong and how often, and what must hold. */
final class Setting {

    /** Half of a reservation: leases, reservations and entries are counted in these. */
    static final long QUANTUM = LockStore.RESERVATION.toNanos() / 2;

    /** Who checks the fencing token when a holder writes. */
    enum Writes {
        NONE,
        CHECKED,
        UNCHECKED
    }

    final ModelClock clock = new ModelClock();
    final ModelClock serverClock = new ModelClock();

    /** What acquisitions have begun, wherever they were. */
    final Map<Object, Course> begun = new HashMap<>();

    /** The state that is looked at; null while one is only thought of. */
    World current;

    /** Whether the steps are told in words. */
    boolean tracing;

    final List<Integer> limits = new ArrayList<>();
    long leaseNanos = 2 * QUANTUM;
    int acquisitions = 1;
    int restarts;
    int lateCalls;
    int duplicates;
    int forgeries;
    int losses;
    int blinks;
    boolean slowPolls;
    boolean giveUp;
    boolean interrupts;
    boolean clones;
    boolean tries;
    boolean progress = true;
    boolean tokens = true;
    Writes writes = Writes.NONE;
    final List<Long> clockSteps = new ArrayList<>();
    Mutant mutant;
    final Set<Defect> defects = EnumSet.noneOf(Defect.class);

    /** Longer than a lease and a reservation. */
    static Duration longTime() {
        return Duration.ofNanos(6 * QUANTUM);
    }

    static Setting exclusive(int clients) {
        Setting setting = new Setting();
        for (int i = 0; i < clients; i++) {
            setting.limits.add(AcquireRequest.EXCLUSIVE);
        }
        return setting;
    }

    /** One client for each limit; {@link AcquireRequest#EXCLUSIVE} for one that wants the lock alone. */
    static Setting limits(int... limits) {
        Setting setting = new Setting();
        for (int limit : limits) {
            setting.limits.add(limit);
        }
        return setting;
    }

    Setting lease(Duration lease) {
        leaseNanos = lease.toNanos();
        return this;
    }

    /** How often each client wants the lock. */
    Setting acquisitions(int number) {
        acquisitions = number;
        return this;
    }

    /** How many calls are given up by their callers, and may arrive at any time later, or never. */
    Setting lateCalls(int number) {
        lateCalls = number;
        return this;
    }

    /** How many calls or messages arrive twice. */
    Setting duplicates(int number) {
        duplicates = number;
        return this;
    }

    /** How many messages are forged. */
    Setting forgeries(int number) {
        forgeries = number;
        return this;
    }

    /** How often the server loses its data. */
    Setting losses(int number) {
        losses = number;
        return this;
    }

    /** How often the server's clock may take this step. */
    Setting clockStep(Duration step) {
        clockSteps.add(step.toNanos());
        return this;
    }

    /** How often a millisecond may pass, instead of a quantum. */
    Setting blinks(int number) {
        blinks = number;
        return this;
    }

    /** Waiters may run out of budget, and ask for the last time. */
    Setting givingUp() {
        giveUp = true;
        return this;
    }

    /** Clients may ask once, without waiting. */
    Setting tries() {
        tries = true;
        return this;
    }

    /** Waiters may be interrupted. */
    Setting interrupts() {
        interrupts = true;
        return this;
    }

    /** How often an acquisition starts over after a grant that came too late. */
    Setting restarts(int number) {
        restarts = number;
        return this;
    }

    /** The second client is a clone of the first one. */
    Setting clones() {
        clones = true;
        return this;
    }

    /** Holders write, at any time after they have asked whether they hold the lock. */
    Setting writes(Writes how) {
        writes = how;
        return this;
    }

    /** Renewals, and questions for entries, are on their way for any time, as other calls are. */
    Setting slowPolls() {
        slowPolls = true;
        return this;
    }

    /** The same token twice is no violation, so that what follows from it is. */
    Setting withoutTokens() {
        tokens = false;
        return this;
    }

    Setting withoutProgress() {
        progress = false;
        return this;
    }

    Setting with(Defect defect) {
        defects.add(defect);
        if (!defect.text.isEmpty()) {
            mutant = Mutant.of(defect);
        }
        return this;
    }

    boolean has(Defect defect) {
        return defects.contains(defect);
    }

    int clients() {
        return limits.size();
    }

    /** Whether the server keeps its data and its clock, and messages are its own. */
    boolean isFaithful() {
        return losses == 0 && clockSteps.isEmpty() && forgeries == 0;
    }

    /** The smallest token that the server's clock may still give. */
    long tokenClock() {
        return serverClock.micros() - mostBack() / 1_000;
    }

    long clockStepsInAll() {
        return clockSteps.stream().mapToLong(Math::abs).sum();
    }

    /** By how much the server's clock may go back. */
    long mostBack() {
        return -clockSteps.stream().mapToLong(step -> Math.min(step, 0)).sum();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(clients() + " clients" + (clones ? ", clones" : ""));
        add(text, acquisitions - 1, "more acquisitions");
        add(text, lateCalls, "late calls");
        add(text, duplicates, "duplicates");
        add(text, forgeries, "forgeries");
        add(text, losses, "losses of data");
        add(text, clockSteps.size(), "clock steps");
        return text
                + (giveUp ? ", giving up" : "")
                + (interrupts ? ", interrupts" : "")
                + (tries ? ", tries" : "")
                + (slowPolls ? ", slow polls" : "")
                + (limits.stream().anyMatch(each -> each > 0) ? ", limits " + limits : "")
                + (writes == Writes.NONE ? "" : ", writes " + writes)
                + (defects.isEmpty() ? "" : ", with " + defects);
    }

    private static void add(StringBuilder text, int number, String what) {
        if (number > 0) {
            text.append(", ").append(number).append(' ').append(what);
        }
    }
}
