package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.CapturedLog;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.redis.connection.DefaultMessage;

/** Messages that anybody may have sent: which ones the listener receives. */
class WakeMessagesTest {

    private final List<String> received = new ArrayList<>();
    private final WakeChannel channel = new WakeChannel(
            mock(Wire.class),
            new ScriptCodec(RedisLockSettings.STANDARD),
            "client",
            new Recorder(),
            true,
            Duration.ofSeconds(1),
            closed -> {});

    private final class Recorder implements WakeListener {

        @Override
        public void granted(long sequence, Reservation reservation) {
            received.add("granted " + sequence);
        }

        @Override
        public void awaited(long sequence, Waiters waiters) {
            received.add("awaited " + sequence);
        }

        @Override
        public void revoked(long sequence) {
            received.add("revoked " + sequence);
        }

        @Override
        public void connected() {}

        @Override
        public void disconnected() {}
    }

    /** Returns the warning, or null. */
    private String send(String message) {
        try (CapturedLog log = new CapturedLog(WakeChannel.class.getName(), Level.WARN)) {
            channel.onMessage(new DefaultMessage(new byte[0], message.getBytes(StandardCharsets.UTF_8)), null);
            return log.events().stream().map(WakeMessagesTest::text).findFirst().orElse(null);
        }
    }

    private static String text(ILoggingEvent event) {
        return event.getFormattedMessage() + " " + event.getThrowableProxy().getMessage();
    }

    private static String padded(String message, int length) {
        return message + " ".repeat(length - message.length());
    }

    @ParameterizedTest
    @ValueSource(strings = {"granted 42 7 1 1000000 2000000 0", "awaited 42 1", "revoked 42"})
    void message_of_more_than_200_bytes_is_dropped_whatever_it_says(String message) {
        String warning = send(padded(message, 201));

        assertThat(received).isEmpty();
        assertThat(warning)
                .isEqualTo("Ignored a malformed message on the wakeup channel. Check which users may publish to it."
                        + " The message is too long: 201 bytes");
        send(padded(message, 200));
        assertThat(received).containsExactly(message.substring(0, 10));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "granted",
                "granted x 7 1 1000000 2000000 0",
                "granted 42 7 1 1000000 2000000",
                "granted 42 7 1 1000000 -2000000 0",
                "granted 42 7 1 1000000 9223372036854775808 0",
                "awaited 42",
                "awaited 4\u00b2 1",
                "revoked ",
                "revoked"
            })
    void message_without_its_numbers_is_dropped(String message) {
        assertThat(send(message)).startsWith("Ignored a malformed message on the wakeup channel.");

        assertThat(received).isEmpty();
    }

    @Test
    void message_of_a_later_version_is_ignored_in_silence() {
        assertThat(send("moved 42")).isNull();
        assertThat(send("")).isNull();

        assertThat(received).isEmpty();
    }

    @Test
    void many_malformed_messages_are_one_warning() {
        assertThat(send("revoked x")).isNotNull();
        assertThat(send("revoked x")).isNull();
        send("revoked 42");

        assertThat(received).containsExactly("revoked 42");
    }
}
