package io.holdfast.lock.sample.race;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Makes this instance known and takes part in every race it is invited to, whoever called it. Starts after the web
 * server, whose port is its name, and stops before it.
 */
@Component
class Participant implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Participant.class);
    private static final Duration START_LIMIT = Duration.ofSeconds(15);

    private final String id = UUID.randomUUID().toString();
    private final Instances instances;
    private final Races races;
    private final Selling selling;
    private final Environment environment;
    private @Nullable ScheduledExecutorService threads;

    Participant(Instances instances, Races races, Selling selling, Environment environment) {
        this.instances = instances;
        this.races = races;
        this.selling = selling;
        this.environment = environment;
    }

    @Override
    public synchronized void start() {
        String name = "port " + environment.getProperty("local.server.port", "-") + ", pid "
                + ProcessHandle.current().pid();
        instances.beat(id, name);
        ScheduledExecutorService executor = Executors.newScheduledThreadPool(2);
        threads = executor;
        every(Duration.ofSeconds(1), executor, () -> instances.beat(id, name));
        every(Duration.ofMillis(100), executor, this::takePart);
    }

    /** A scheduled task that throws would never run again; these go on, since the database may come back. */
    private static void every(Duration delay, ScheduledExecutorService executor, Step step) {
        Future<?> unused = executor.scheduleWithFixedDelay(
                () -> going(step), delay.toMillis(), delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    private interface Step {
        void run() throws InterruptedException;
    }

    private static void going(Step step) {
        try {
            step.run();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.warn("Coordinating races failed, trying again: {}", e.toString());
        }
    }

    private void takePart() throws InterruptedException {
        Long invited = races.invitation(id).orElse(null);
        if (invited == null) {
            return;
        }
        races.ready(invited, id);
        boolean started = Poll.until(() -> races.race(invited).state() != RaceState.CALLED, START_LIMIT);
        if (started && races.runs(invited, id)) {
            Race race = races.race(invited);
            log.info("Race {}: selling {} the lock", race.id(), race.locked() ? "with" : "without");
            races.finish(invited, id, selling.run(race, id));
        }
    }

    @Override
    public synchronized void stop() {
        ScheduledExecutorService executor = threads;
        threads = null;
        if (executor == null) {
            return;
        }
        executor.shutdown(); // no interrupts: they would close the file of an H2 database under all its users
        try {
            executor.awaitTermination(2, TimeUnit.SECONDS);
            instances.leave(id);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            log.debug("Could not sign off, because H2 is already closed; the heartbeat expires anyway", e);
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return threads != null;
    }
}
