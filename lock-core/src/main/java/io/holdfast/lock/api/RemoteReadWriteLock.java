package io.holdfast.lock.api;

import java.util.concurrent.locks.ReadWriteLock;

/**
 * A distributed read-write lock: any number of readers, or one writer. Waiting writers are not starved: a reader that
 * comes after a waiting writer waits behind it. Each half is reentrant.
 *
 * <p>A thread that holds the write lock may take the read lock too, and keeps that when it unlocks the write lock first:
 * it then goes on as a reader, without a moment in which another writer could come in between. A thread that holds only
 * the read lock cannot take the write lock: it would wait for itself, so {@code lock} throws {@link IllegalStateException}, and
 * {@code tryLock} returns false, at once.
 *
 * <p>So whoever holds the write lock is told by the read half too that it is held, with the same fencing token; whoever
 * holds the read lock only is told by the write half that it is not.
 *
 * <pre>{@code
 * RemoteReadWriteLock catalogue = lockTemplate.getReadWriteLock("catalogue");
 * catalogue.readLock().lock();
 * try { … } finally { catalogue.readLock().unlock(); }
 * }</pre>
 */
public interface RemoteReadWriteLock extends ReadWriteLock {

    /** {@return what is locked} */
    LockKey key();

    /** {@return the half that many may hold together} */
    @Override
    RemoteLock readLock();

    /** {@return the half that is held alone} */
    @Override
    RemoteLock writeLock();
}
