package io.holdfast.lock.spring.transaction;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Warns of locks that are acquired and released inside a running transaction, by template, handle or view: the next holder
 * does not see what that transaction wrote. Locked methods have rules and warnings of their own.
 *
 * <p>Nothing is said where the transaction wrote nothing under the lock as far as can be known: it is read-only, or it was
 * suspended while the lock was held, so the work ran in a transaction of its own.
 */
final class EarlyReleases implements LockListener {

    /** Of unnamed locks there may be as many as there are keys. */
    static final int MOST = 20;

    private static final Logger log = LoggerFactory.getLogger(EarlyReleases.class);

    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    @Override
    public boolean isListening() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.isActualTransactionActive()
                && !TransactionSynchronizationManager.isCurrentTransactionReadOnly();
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Acquired acquired && isListening()) {
            inCurrentTransaction().names.put(acquired.key(), acquired.name());
        } else if (event instanceof LockEvent.Released released && isListening()) {
            Inside inside = existing();
            if (inside != null && inside.names.remove(released.key()) != null) {
                warn(released);
            }
        }
    }

    /** Those of a locked method that does not have them kept, which it was warned of. */
    void forget(String name) {
        Inside inside = existing();
        if (inside != null) {
            inside.names.values().removeIf(name::equals);
        }
    }

    private void warn(LockEvent.Released released) {
        String shown = released.key().toString();
        String name = released.name().isEmpty() ? shown.split(":", 2)[0] : released.name();
        if (warned.contains(name) || warned.size() >= MOST || !warned.add(name)) {
            return;
        }
        log.warn(
                "Lock '{}' was acquired and released inside {}, before the commit: the next holder does not see what"
                        + " the transaction wrote. Acquire the lock before the transaction begins, run the work in"
                        + " its own transaction (REQUIRES_NEW), or use @DistributedLock, which keeps the lock until"
                        + " the transaction completes. This warning is logged once per lock name.",
                shown,
                InsideWarnings.transaction());
    }

    private @Nullable Inside existing() {
        return TransactionSynchronizationManager.getResource(this) instanceof Inside known ? known : null;
    }

    private Inside inCurrentTransaction() {
        Inside known = existing();
        if (known != null) {
            return known;
        }
        Inside created = new Inside();
        TransactionSynchronizationManager.registerSynchronization(created);
        created.resume();
        return created;
    }

    /** The locks that were acquired inside one transaction; used by its thread. */
    private final class Inside implements TransactionSynchronization {

        private final Map<LockKey, String> names = new HashMap<>();

        @Override
        public void suspend() {
            names.clear();
            if (existing() == this) {
                TransactionSynchronizationManager.unbindResource(EarlyReleases.this);
            }
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.bindResource(EarlyReleases.this, this);
        }

        @Override
        public void beforeCompletion() {
            suspend();
        }

        /** Without {@link #beforeCompletion} if somebody else ended the transaction. */
        @Override
        public void afterCompletion(int status) {
            suspend();
        }
    }
}
