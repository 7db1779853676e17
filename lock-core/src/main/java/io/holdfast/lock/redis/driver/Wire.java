package io.holdfast.lock.redis.driver;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.RedisTemplate;

/**
 * The servers that a {@link RedisTemplate} leads to, and how scripts are sent through it: over {@link JedisConnections}, together; over
 * {@link ApplicationConnections}, one by one. All methods throw the driver's exceptions. Before {@link #open} has succeeded once, only
 * methods whose documentation permits that may be called.
 */
public interface Wire {

    /**
     * Connects for the first time: loads the driver, locates the servers, and opens a connection.
     *
     * @param background see {@link #send}
     */
    void open(boolean background);

    /** Accepts calls again after {@link #stop}. */
    default void start() {}

    /** Closes all connections. May be called before {@link #open}. */
    default void stop() {}

    /** Closes all connections for good, and throws nothing. May be called before {@link #open}. */
    default void close() {}

    /**
     * A connection for one subscription, {@link Breakable} if the driver occupies the thread that subscribes. May be called before {@link
     * #open}.
     */
    RedisConnection newSubscription();

    /** A connection that the subscribing thread reads from. Closing it closes its socket, so it never goes back to a pool. */
    interface Breakable {

        /** Closes the socket, from any thread: whoever reads from it fails. */
        void breakOff();
    }

    /** Whether scripts publish in the slot of a lock from now on, if somebody has subscribed there. */
    default void publishInSlots(boolean wanted) {}

    /**
     * A connection to the server that has a channel, for a cluster over pipelined connections.
     *
     * @param quietMillis how long there may be no message, and no confirmation, until reading from it fails
     */
    default SlotSubscription newSubscription(byte[] channel, int quietMillis) {
        throw new UnsupportedOperationException();
    }

    /**
     * Sends calls over one connection, before waiting for the first reply. Does not follow redirections, and sends nothing twice.
     *
     * @param door a template on these connections
     * @param background whether to use the connections that callers cannot exhaust
     * @return waits for the replies; to be called once, by any thread. For each call, the reply is a {@code byte[]}, or the driver's
     *     exception for an error of the server; something else if the state of the connection did not allow running a script. The reply
     *     to a {@code WAIT} is the last one
     */
    Supplier<List<Object>> send(RedisTemplate<?, ?> door, boolean background, Calls calls);

    /** {@return whether {@link #send} does not wait for replies, and can also send a {@code WAIT}} May be called before {@link #open}. */
    default boolean isPipelined() {
        return true;
    }

    /** {@return whether the driver may send a call again on its own, for example after it has reconnected} */
    default boolean isRepeating() {
        return false;
    }

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

    /** Registers what runs after the credentials have changed, when subscriptions should be made again. */
    default void whenRenewed(Runnable listener) {}

    /** Locates the servers again, by calling them. */
    default void refreshTopology() {}

    /**
     * A script and its arguments.
     *
     * @param masked whether messages must not quote the server's replies, because they may contain keys that are to be hidden
     */
    @SuppressWarnings("ArrayRecordComponent") // neither compared nor changed
    record ScriptCall(LuaScript script, int keys, byte[][] keysAndArgs, boolean masked) {}

    /**
     * Calls to the server that has the first key, all together; all other keys are on that server as well, as far as is known.
     *
     * @param byText whether to send the scripts themselves, for a server that does not know their digests
     * @param acks the acknowledgements that they wait for
     * @param start when the command timeout began, by {@link System#nanoTime()}
     * @param redirection the reply from another server of a cluster that names the server of the key; null if there was none
     */
    record Calls(
            List<ScriptCall> all,
            boolean byText,
            Acks acks,
            long start,
            @Nullable RuntimeException redirection) {

        /** In these scripts, the failure of one lock does not affect the others of the same call, so the reply reports each failure. */
        private static final Set<LuaScript> FOR_MANY =
                Set.of(LuaScript.RENEW, LuaScript.KEEP_ENTRIES, LuaScript.RELEASE_ALL);

        /** {@return whether one of the replies is from a replica} */
        public boolean areAnsweredByReplica(List<Object> replies) {
            for (int i = 0; i < all.size(); i++) {
                Object reply = replies.get(i);
                boolean isOfMany = FOR_MANY.contains(all.get(i).script());
                if ((isOfMany || reply instanceof RuntimeException) && RedisFailures.isReadOnly(reply)) {
                    return true;
                }
            }
            return false;
        }

        /** {@return the same calls, by text} */
        public Calls asText() {
            return new Calls(all, true, acks, start, redirection);
        }
    }

    /**
     * A {@code WAIT} after the calls, which counts the replicas that have received what was written before it on the same connection.
     *
     * @param count how many replicas must have received what was written; 0 for no {@code WAIT}
     * @param timeout how long they may take
     */
    record Acks(int count, Duration timeout) {

        /** No {@code WAIT}. */
        public static final Acks NONE = new Acks(0, Duration.ZERO);
    }
}
