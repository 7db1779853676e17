package io.holdfast.lock.redis.driver;

import java.time.Duration;
import java.util.List;

/**
 * Sends scripts to one server, over one connection, all of them before the first answer is waited for. For what Spring
 * Data has no way to say: several calls to one node of a cluster, a call whose answer somebody looks at later, and a
 * {@code WAIT}, which counts the replicas that have what was written before it on the same connection. The implementation with
 * Spring Data is for the application's own connections, and for calls that a cluster redirects.
 *
 * <p>A driver's implementation does not follow redirections, and sends nothing twice. It throws the driver's exceptions.
 */
public interface Wire {

    /**
     * Sends to the server that has the first key; all others are there as well, as far as is known.
     *
     * @param start when the command timeout began, by {@link System#nanoTime()}
     */
    Sent send(List<ScriptCall> calls, Acks acks, long start);

    /** {@return whether {@link #send} waits for no answer, and can send a {@code WAIT} as well} */
    default boolean isPipelined() {
        return true;
    }

    /** A script that servers know by its digest, once they have seen its text. */
    interface Script {

        /** {@return what {@code EVAL} takes; not to be changed} */
        byte[] text();

        /** {@return what {@code EVALSHA} takes, 40 hexadecimal digits; not to be changed} */
        byte[] sha();

        /** {@return whether a lock that fails does not fail the others of the same call} */
        boolean isForMany();
    }

    /**
     * A script and its arguments.
     *
     * @param byText whether to send the script itself, for a server that does not know its digest
     */
    @SuppressWarnings("ArrayRecordComponent") // neither compared nor changed
    record ScriptCall(Script script, int keys, byte[][] keysAndArgs, boolean byText) {

        public byte[] firstKey() {
            return keysAndArgs[0];
        }

        public byte[] scriptOrDigest() {
            return byText ? script.text() : script.sha();
        }
    }

    /**
     * A {@code WAIT} behind the calls.
     *
     * @param number how many replicas must have what was written; none if there is nothing to wait for
     * @param timeout how long they may take
     */
    record Acks(int number, Duration timeout) {

        /** No {@code WAIT}. */
        public static final Acks NONE = new Acks(0, Duration.ZERO);

        /** {@return whether there is one} */
        public boolean wanted() {
            return number > 0;
        }
    }

    /** Calls on their way. */
    interface Sent {

        /** Waits for the answers. To be called once, by any thread. */
        Answers await();
    }

    /**
     * What came back.
     *
     * @param replies for each call a {@code byte[]}, or the exception that the server's error is to the driver; something else if the
     *     connection was in no state to run a script
     * @param replicas how many replicas have acknowledged it all; 0 if nobody asked
     */
    record Answers(List<Object> replies, long replicas) {}
}
