package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.DaemonThreads;
import io.holdfast.lock.store.LockStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.SpringProperties;

/**
 * Has the store connect while the application starts. The first call of a client loads its driver, which may take longer than a
 * command may: a second on a busy machine. Without an answer nothing happens, but for a line at DEBUG.
 */
final class WarmUp {

    private static final Logger log = LoggerFactory.getLogger(WarmUp.class);
    private static final LockKey ANY = LockKey.of("warm-up");

    private WarmUp() {}

    /** On a thread of its own. Not before a checkpoint, which finds no connection open. */
    static void begin(LockStore store) {
        if (SpringProperties.getProperty("spring.context.checkpoint") == null) {
            DaemonThreads.create(() -> ask(store), "holdfast-warm-up").start();
        }
    }

    private static void ask(LockStore store) {
        try {
            store.inspect(ANY);
        } catch (RuntimeException e) {
            log.debug("The store of locks does not answer yet", e);
        }
    }
}
