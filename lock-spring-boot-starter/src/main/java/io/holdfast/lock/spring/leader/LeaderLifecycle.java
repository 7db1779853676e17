package io.holdfast.lock.spring.leader;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Has an instance stand for its roles once all else was started, the web server among it, and hand over before anything else is
 * stopped: while locks are still released, and what its listeners need is there.
 */
public final class LeaderLifecycle implements SmartLifecycle {

    private final LeaderRoles roles;
    private volatile boolean running;

    /**
     * Creates an instance.
     *
     * @param roles are started and stopped
     */
    public LeaderLifecycle(LeaderRoles roles) {
        this.roles = roles;
    }

    @Override
    public void start() {
        roles.start();
        running = true;
    }

    @Override
    public void stop() {
        CompletableFuture<@Nullable Void> unused = roles.stop();
        running = false;
    }

    /** Spring waits until the terms were given up, for as long as it waits for a phase. */
    @Override
    public void stop(Runnable callback) {
        running = false;
        var unused = roles.stop().whenComplete((nothing, failure) -> callback.run());
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Last to be started, first to be stopped. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
