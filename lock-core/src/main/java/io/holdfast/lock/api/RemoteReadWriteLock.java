package io.holdfast.lock.api;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A distributed read-write lock: any number of readers, or one writer. Writers are not starved: a reader that arrives after a
 * waiting writer waits behind it. Both locks are reentrant.
 *
 * <p>A thread that holds the write lock may acquire the read lock as well, and keeps it when it unlocks the write lock first: it
 * then continues as a reader, and no other writer can get in between (downgrading). A thread that holds only the read lock
 * cannot acquire the write lock, because it would deadlock with itself: {@code lock} throws {@link IllegalStateException}, and
 * {@code tryLock} returns false immediately.
 *
 * <p>For the holder of the write lock, the read lock reports that it is held, with the same fencing token; for a reader, the
 * write lock reports that it is not held.
 *
 * <pre>{@code
 * RemoteReadWriteLock catalogue = lockTemplate.getReadWriteLock("catalogue");
 * catalogue.readLock().lock();
 * try { … } finally { catalogue.readLock().unlock(); }
 * }</pre>
 */
public interface RemoteReadWriteLock extends ReadWriteLock {

    /** {@return the key} */
    LockKey key();

    /** {@return the shared lock} */
    @Override
    RemoteLock readLock();

    /** {@return the exclusive lock} */
    @Override
    RemoteLock writeLock();
}
