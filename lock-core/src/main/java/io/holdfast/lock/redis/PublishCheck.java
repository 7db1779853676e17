package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.EntryRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether scripts may publish the messages that wake waiters. If not, scripts work without them, and every waiter has to
 * find out by polling that it was granted the lock.
 *
 * <p>The check is made once, with the first poll: a waiter that polls has received no message for half a second. If the server does
 * not reply, the next poll repeats it. Scripts that may not publish are logged once, and checked again for each health check. Two
 * threads may check at the same time, to no harm.
 */
final class PublishCheck {

    private static final Logger log = LoggerFactory.getLogger(PublishCheck.class);

    private final ScriptClient client;
    private final KeyLayout layout;
    private volatile @Nullable ScriptCall checked;
    private volatile String failure = "";

    /** @param client over connections that callers cannot exhaust */
    PublishCheck(ScriptClient client, KeyLayout layout) {
        this.client = client;
        this.layout = layout;
    }

    /** Checks it, unless that was done before. The entries are those of this client. */
    void check(List<EntryRequest> requests) {
        if (checked != null) {
            return;
        }
        for (EntryRequest request : requests) {
            if (!request.owners().isEmpty()) {
                byte[] channel = layout.channel(request.owners().get(0).clientId());
                check(new ScriptCall(LuaScript.PUBLISH, 1, new byte[][] {layout.bytes(request.key()), channel}, false));
                return;
            }
        }
    }

    private void check(ScriptCall call) {
        String reply;
        try {
            reply = client.run(call).text();
        } catch (LockStoreException e) {
            log.debug("Could not check whether scripts may publish", e);
            return;
        }
        boolean known = checked != null;
        checked = call;
        failure = reply.isEmpty()
                ? ""
                : "Redis does not let scripts publish to the wake-up channels, so waiters poll every 500 ms. Grant the"
                        + " Redis user PUBLISH and the channels "
                        + new String(layout.channel("*"), StandardCharsets.UTF_8) + " (" + reply + ")";
        if (!failure.isEmpty() && !known) {
            log.warn("{}", failure);
        }
    }

    /** What is wrong, if that is still so. */
    List<String> warnings() {
        ScriptCall last = checked;
        if (last != null && !failure.isEmpty()) {
            check(last);
        }
        return failure.isEmpty() ? List.of() : List.of(failure);
    }
}
