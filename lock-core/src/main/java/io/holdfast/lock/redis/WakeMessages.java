package io.holdfast.lock.redis;

import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.WakeListener;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the messages on a wake-up channel, and notifies the listener. Every user who may publish there can send messages, so no
 * content is an error of the channel: messages that no lock script sends are dropped, with a warning once a minute, and those of
 * later versions are ignored. The listener judges whether a message is plausible.
 */
final class WakeMessages {

    private static final Logger log = LoggerFactory.getLogger(WakeMessages.class);

    private static final int LONGEST = 200;
    private static final long QUIET_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final WakeListener listener;
    private final UnaryOperator<Reservation> grants;
    private final AtomicLong warnAt = new AtomicLong(System.nanoTime());

    /** @param grants what a grant by message counts as */
    WakeMessages(WakeListener listener, UnaryOperator<Reservation> grants) {
        this.listener = listener;
        this.grants = grants;
    }

    void read(byte[] body) {
        try {
            tell(words(body));
        } catch (RuntimeException e) {
            warn(e);
        }
    }

    private static String[] words(byte[] body) {
        if (body.length > LONGEST) {
            throw new IllegalArgumentException("The message is too long: " + body.length + " bytes");
        }
        return new String(body, StandardCharsets.US_ASCII).split(" ", -1);
    }

    private void tell(String[] words) {
        switch (words[0]) {
            case "granted" -> listener.granted(number(words, 1), grants.apply(reservation(words)));
            case "awaited" -> listener.awaited(number(words, 1), ScriptDecoder.waiters(number(words, 2)));
            case "revoked" -> listener.revoked(number(words, 1));
            default -> log.debug("Ignored a wake-up message of an unknown kind");
        }
    }

    /** The numbers are token, tokens, when, until when, and who waits. */
    private static Reservation reservation(String[] words) {
        return new Reservation(
                number(words, 2),
                number(words, 3),
                ScriptDecoder.waiters(number(words, 6)),
                number(words, 4),
                number(words, 5));
    }

    private static long number(String[] words, int index) {
        if (index >= words.length || !words[index].chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new IllegalArgumentException("Word " + index + " is missing or not a number");
        }
        return Long.parseLong(words[index]);
    }

    private void warn(RuntimeException e) {
        long now = System.nanoTime();
        long planned = warnAt.get();
        if (now - planned >= 0 && warnAt.compareAndSet(planned, now + QUIET_NANOS)) {
            log.warn("Ignored a malformed message on the wake-up channel. Check which users may publish to it.", e);
        }
    }
}
