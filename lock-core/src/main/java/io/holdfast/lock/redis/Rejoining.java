package io.holdfast.lock.redis;

import io.holdfast.lock.redis.driver.Wire;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * A server that was started without its data grants no lock that it does not know until all leases of the time before
 * have ended: "delayed restarts" of the Redlock algorithm.
 *
 * <p>The server itself notes when it was started, in a key beside the locks, and the script that acquires looks at that
 * before it grants an unknown lock. So it does not matter whether clients have noticed the restart. The note is lost with the
 * data; then a client has a new one written. A server without a note does not know when it lost its data: its start counts as
 * that time.
 *
 * <p><b>Never too early.</b> A lease of the time before was granted before the server was started, and ends within the
 * delay from then on. So the note must not be earlier than the start. Redis reports it in whole seconds only; the note is
 * the latest start that fits, up to a second after the real one, see {@code join.lua}.
 *
 * <p><b>A clock that is set.</b> All of this uses the server's own wall clock. If it is set forward during the delay, the delay
 * ends earlier by as much, and so do leases. If it is set back to before the note, the note is in the future: it is written
 * again, and the delay starts over.
 *
 * @see <a href="https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/">Distributed locks with Redis</a>
 */
final class Rejoining {

    private static final int CLOCKS_DIFFER_BY_ONE_IN = 100;

    private final ScriptClient client;
    private final byte[] note;
    private final byte[] retention;
    private final byte[] delay;

    Rejoining(ScriptClient client, KeyLayout layout, RedisLockSettings settings) {
        this.client = client;
        this.note = layout.joined();
        this.retention = bytes(settings.tokenRetention());
        this.delay = bytes(byAnyClock(settings.rejoinDelay()));
    }

    private static byte[] bytes(Duration duration) {
        return Long.toString(duration.toMillis()).getBytes(StandardCharsets.US_ASCII);
    }

    /** Earlier holders count their leases by other clocks, which may be slower by one percent. */
    private static Duration byAnyClock(Duration delay) {
        return delay.plus(delay.dividedBy(CLOCKS_DIFFER_BY_ONE_IN)).plusMillis(1);
    }

    /** The key where the server records when it was started. */
    byte[] note() {
        return note;
    }

    /** For how long after that it grants no unknown lock, in ms. */
    byte[] delay() {
        return delay;
    }

    /** Makes the server record when it was started, unless it has already. The server determines that time itself. */
    void join() {
        client.run(new Wire.ScriptCall(LuaScript.JOIN, 1, new byte[][] {note, retention}, false));
    }
}
