package io.holdfast.lock.redis.overview;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How the scripts of this package reach servers. */
public interface Servers {

    /**
     * Sends calls to the server that has the first key of the first one.
     *
     * @return an answer for each
     * @throws LockStoreException if the server did not answer any
     */
    List<Answer> ask(List<ScriptCall> calls);

    /** {@return whether one server is known to have all locks, so that one script can look at several of them} */
    boolean isOneServer();

    /** {@return which server of a cluster has a key, as far as is known; the same text for all if there is only one} */
    String serverOf(byte[] key);

    /**
     * {@return a slot of each master of a cluster, if {@link #serverOf} does not tell them apart}
     *
     * @throws LockStoreException if the servers do not tell
     */
    List<Integer> slotOfEachMaster();

    /**
     * What came of a call.
     *
     * @param text null if it failed
     * @param moved whether another server has answered than the one that was asked
     */
    record Answer(@Nullable String text, @Nullable LockStoreException failure, boolean moved) {}
}
