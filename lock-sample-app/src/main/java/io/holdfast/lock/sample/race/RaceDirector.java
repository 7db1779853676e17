package io.holdfast.lock.sample.race;

import io.holdfast.lock.spring.annotation.DistributedLock;
import java.time.Duration;
import org.springframework.stereotype.Service;

/** Calls a race, starts it for all at once, and waits for the last one. */
@Service
class RaceDirector {

    private static final Duration TO_THE_START = Duration.ofSeconds(5);
    private static final Duration TO_THE_END = Duration.ofMinutes(2);

    private final Races races;
    private final RaceReport report;

    RaceDirector(Races races, RaceReport report) {
        this.races = races;
        this.report = report;
    }

    /** One race at a time, on all instances together: a second one is refused at once. */
    @DistributedLock(key = "'race'", waitFor = 0)
    public RaceResult run(RaceSettings settings) throws InterruptedException {
        long id = races.call(settings);
        try {
            Poll.until(() -> !races.anyoneIn(id, RunnerState.INVITED), TO_THE_START);
            races.giveUp(id, RunnerState.INVITED, false);
            races.state(id, RaceState.RUNNING);
            Poll.until(() -> everybodyIsThrough(id), TO_THE_END);
        } finally {
            races.giveUp(id, RunnerState.READY, false);
            races.state(id, RaceState.DONE);
        }
        return report.of(id);
    }

    private boolean everybodyIsThrough(long id) {
        races.giveUp(id, RunnerState.READY, true);
        return !races.anyoneIn(id, RunnerState.READY);
    }
}
