package io.holdfast.lock.redis.driver;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;

/**
 * Connections of one driver, and how scripts are sent over them. {@link #send} does not follow redirections and sends nothing twice. All
 * methods throw the driver's exceptions. Before {@link #open} has succeeded once, only methods whose documentation permits that may be
 * called.
 */
public interface Wire {

    /** Connects for the first time: loads the driver, locates the servers, and opens a connection. */
    void open();

    /** Accepts calls again after {@link #stop}. */
    default void start() {}

    /** Closes all connections. May be called before {@link #open}. */
    default void stop() {}

    /** Closes all connections for good, and throws nothing. May be called before {@link #open}. */
    default void close() {}

    /** A connection for one subscription. May be called before {@link #open}. */
    RedisConnection newSubscription();

    /**
     * Causes a thread that is reading from the connection of a subscription to fail. Does nothing if the driver does not occupy a thread.
     */
    default void breakOff(RedisConnection subscription) {}

    /**
     * Sends all calls to the server that has the first key, over one connection, before waiting for the first reply; all other keys are on
     * that server as well, as far as is known.
     *
     * @param start when the command timeout began, by {@link System#nanoTime()}
     * @param redirection the reply from another server of a cluster that names the server of the key; null if there was none
     * @return waits for the replies; to be called once, by any thread
     */
    Supplier<Answers> send(List<ScriptCall> calls, Acks acks, long start, @Nullable RuntimeException redirection);

    /** {@return whether {@link #send} does not wait for replies, and can also send a {@code WAIT}} May be called before {@link #open}. */
    boolean isPipelined();

    /** {@return whether locks are known to be spread over several servers} May be called before {@link #open}. */
    boolean isCluster();

    /**
     * {@return whether one server is known to have all locks, so that one script can touch several of them} The application's
     * own connections reveal this only after the first call. May be called before {@link #open}.
     */
    default boolean isOneServer() {
        return !isCluster();
    }

    /**
     * {@return the server that has the key, as far as known; the same text for all keys if there is only one server} May be called before
     * {@link #open}.
     */
    default String serverOf(byte[] key) {
        return "";
    }

    /** {@return a slot of each master of a cluster, by server; only slot 0, under the empty name, if there is no cluster} */
    Map<String, Integer> slotOfEachMaster();

    /** {@return where the servers are, for messages: without users and passwords} May be called before {@link #open}. */
    String server();

    /** Locates the servers again, by calling them. */
    default void refreshTopology() {}

    /**
     * A script and its arguments.
     *
     * @param byText whether to send the script itself, for a server that does not know its digest
     */
    @SuppressWarnings("ArrayRecordComponent") // neither compared nor changed
    record ScriptCall(LuaScript script, int keys, byte[][] keysAndArgs, boolean byText) {

        /** {@return the same call, by text} */
        public ScriptCall asText() {
            return new ScriptCall(script, keys, keysAndArgs, true);
        }
    }

    /**
     * A {@code WAIT} after the calls, which counts the replicas that have received what was written before it on the same connection.
     *
     * @param number how many replicas must have received what was written; 0 for no {@code WAIT}
     * @param timeout how long they may take
     */
    record Acks(int number, Duration timeout) {

        /** No {@code WAIT}. */
        public static final Acks NONE = new Acks(0, Duration.ZERO);
    }

    /**
     * The replies to the calls.
     *
     * @param replies for each call a {@code byte[]}, or the driver's exception for an error of the server; something else if the state of
     *     the connection did not allow running a script
     * @param replicas how many replicas have acknowledged all calls; 0 without a {@code WAIT}
     */
    record Answers(List<Object> replies, long replicas) {

        /**
         * In these scripts, the failure of one lock does not affect the others of the same call, so the reply reports each
         * failure.
         */
        private static final Set<LuaScript> FOR_MANY =
                Set.of(LuaScript.RENEW, LuaScript.KEEP_ENTRIES, LuaScript.RELEASE_ALL);

        /** {@return whether one of the replies is from a replica} */
        public boolean isOfReplica(List<ScriptCall> calls) {
            for (int i = 0; i < replies.size(); i++) {
                Object reply = replies.get(i);
                boolean isOfMany = FOR_MANY.contains(calls.get(i).script());
                if ((isOfMany || reply instanceof RuntimeException) && RedisFailures.isReadOnly(reply)) {
                    return true;
                }
            }
            return false;
        }
    }
}
