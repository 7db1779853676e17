package io.holdfast.lock.redis;

import io.holdfast.lock.store.DaemonThreads;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a driver refresh the topology after a call without a reply. A server that hangs keeps its connections open, so drivers
 * continue to use it, although another one may have replaced it long ago.
 *
 * <p>On a separate thread, because that calls servers, some of which hang; not more often than every {@value #PAUSE_MILLIS} ms.
 */
final class TopologyRefresh {

    private static final Logger log = LoggerFactory.getLogger(TopologyRefresh.class);

    private static final int PAUSE_MILLIS = 500;

    private final Runnable refresh;
    private final AtomicLong notBefore = new AtomicLong(System.nanoTime());

    TopologyRefresh(Runnable refresh) {
        this.refresh = refresh;
    }

    void request() {
        long now = System.nanoTime();
        long earliest = notBefore.get();
        if (now - earliest >= 0
                && notBefore.compareAndSet(
                        earliest, now + Duration.ofMillis(PAUSE_MILLIS).toNanos())) {
            DaemonThreads.create(this::run, "holdfast-topology").start();
        }
    }

    private void run() {
        try {
            refresh.run();
        } catch (RuntimeException e) {
            log.debug("Failed to refresh the Redis topology", e);
        }
    }
}
