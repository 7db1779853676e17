package io.holdfast.lock.redis.overview;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sends the scripts of this package to servers. */
public interface Servers {

    /**
     * Sends calls to the server that has the first key of the first call.
     *
     * @return a reply for each call
     * @throws LockStoreException if the server did not reply to any of them
     */
    List<Answer> ask(List<ScriptCall> calls);

    /** {@return whether one server is known to have all locks, so that one script can read several of them} */
    boolean isOneServer();

    /**
     * {@return the server of a cluster that has a key, as far as known; the same text for all keys if there is only one server}
     */
    String serverOf(byte[] key);

    /**
     * {@return a slot of each master of a cluster, if {@link #serverOf} does not distinguish them}
     *
     * @throws LockStoreException if the servers do not report them
     */
    List<Integer> slotOfEachMaster();

    /**
     * The result of a call.
     *
     * @param text null if it failed
     * @param moved whether a different server replied than the one that was called
     */
    record Answer(@Nullable String text, @Nullable LockStoreException failure, boolean moved) {}
}
