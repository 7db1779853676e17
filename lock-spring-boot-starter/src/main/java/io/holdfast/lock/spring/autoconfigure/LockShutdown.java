package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.spring.leader.LeaderRoles;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * Shuts down the lock clients when the application shuts down.
 *
 * <pre>
 *   web server accepts no more requests, and active ones may finish  MAX_VALUE - 1024
 *   web server stops                                                 MAX_VALUE - 2048
 *   task executors and schedulers wait for their running tasks       MAX_VALUE / 2
 *   <b>locks: tasks of executors that Spring awaits later may finish,   {@link #PHASE}
 *   then new locks are refused, and holders get time to finish</b>
 *   Redis connection factories stop                                  0
 *   beans are destroyed: executors interrupt their tasks, then the lock client and its store are closed
 * </pre>
 *
 * <p>So tasks that Spring lets finish may still acquire locks, and locks stay held until released or until the timeout. The
 * timeout counts from the beginning of the shutdown, so earlier phases do not add to it: a container platform grants 30 s in
 * total. The wait blocks no thread of the context, whose own limit for a phase ({@code
 * spring.lifecycle.timeout-per-shutdown-phase}) applies as well.
 *
 * <p>A client that refuses new locks does not resume. So none of this happens when the context is merely stopped, paused or
 * restarted: locks continue to work, and so do their holders. Around a checkpoint ({@link LockAutoConfiguration.Checkpoint})
 * Spring stops and starts its beans too; the start resumes locks before anything that may need them.
 *
 * <p>It looks up clients only when it needs them, and only existing ones, so a lazy client is not created just to be closed.
 */
final class LockShutdown implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

    static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 1024;

    private static final Logger log = LoggerFactory.getLogger(LockShutdown.class);

    private static final int MAX_LISTED = 10;

    private final ApplicationContext context;
    private final ConfigurableListableBeanFactory beans;
    private volatile boolean running;
    private volatile boolean suspended;
    private volatile @Nullable Long closingSince;

    LockShutdown(ApplicationContext context, ConfigurableListableBeanFactory beans) {
        this.context = context;
        this.beans = beans;
    }

    @Override
    public void onApplicationEvent(ContextClosedEvent event) {
        if (event.getApplicationContext() == context) {
            closingSince = System.nanoTime();
        }
    }

    /** The event must arrive before {@link #stop}. */
    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }

    @Override
    public void start() {
        running = true;
        resume();
    }

    /** Called before the process is copied: like a shutdown, but temporary. */
    void suspend() throws InterruptedException {
        suspended = true;
        giveUpLeadership();
        for (LockEngine locks : clients()) {
            logHeld(locks, timeout(), "is taking a checkpoint");
            locks.suspend(timeout());
        }
    }

    /**
     * Otherwise leaders would hold their locks until the timeout. The lifecycle of leadership, which starts again in each copy,
     * makes that copy a candidate again.
     */
    private void giveUpLeadership() throws InterruptedException {
        if (beans.getSingleton(LeadershipRegistrar.ROLES) instanceof LeaderRoles roles) {
            try {
                roles.giveUp().get(timeout().toNanos(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException | ExecutionException e) {
                log.warn("Leadership was not given up in time; it will end with the checkpoint", e);
            }
        }
    }

    /** Each copy continues as a separate client. */
    void resume() {
        suspended = false;
        for (LockEngine locks : clients()) {
            locks.resume();
        }
    }

    @Override
    public void stop() {
        stop(() -> {});
    }

    @Override
    public void stop(Runnable callback) {
        Long since = closingSince;
        if (since == null) {
            running = !suspended; // after a restore, Spring starts beans that are no longer running
            callback.run();
            return;
        }
        running = false;
        Runnable end = () -> {
            try {
                endAll(since);
            } finally {
                callback.run();
            }
        };
        DaemonThreads.create(end, "holdfast-shutdown").start();
    }

    private void endAll(long since) {
        List<LockEngine> clients = clients();
        if (clients.isEmpty()) {
            return;
        }
        long end = since + timeout().toNanos();
        List<String> busy = LateTasks.await(beans, end);
        if (!busy.isEmpty()) {
            log.warn(
                    "Executors are still running tasks, which can no longer acquire locks: {}. Tasks can acquire locks"
                            + " until holdfast.shutdown.timeout ({}) has passed since the beginning of the shutdown.",
                    String.join(", ", busy),
                    DurationText.of(timeout()));
        }
        for (LockEngine locks : clients) {
            end(locks, Duration.ofNanos(Math.max(0, end - System.nanoTime())));
        }
    }

    private Duration timeout() {
        return beans.getBean(LockProperties.class).shutdown().timeout();
    }

    private List<LockEngine> clients() {
        List<LockEngine> found = new ArrayList<>(); // no stream: every application that starts would load its lambdas
        for (String name : beans.getBeanNamesForType(LockEngine.class, true, false)) {
            if (beans.getSingleton(name) instanceof LockEngine locks) {
                found.add(locks);
            }
        }
        return found;
    }

    private static void end(LockEngine locks, Duration atMost) {
        logHeld(locks, atMost, "is shutting down");
        try {
            locks.drain(atMost);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            locks.close();
        }
    }

    private static void logHeld(LockEngine locks, Duration atMost, String event) {
        List<LockKey> held = locks.held().stream().map(LocalLocks.HeldLock::key).toList();
        if (!held.isEmpty()) {
            log.info(
                    "{} lock(s) are still held while the application {}; waiting up to {} for their release: {}{}",
                    held.size(),
                    event,
                    DurationText.of(atMost),
                    held.subList(0, Math.min(held.size(), MAX_LISTED)),
                    held.size() > MAX_LISTED ? " and others" : "");
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
