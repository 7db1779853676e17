package io.holdfast.lock.redis.driver.lettuce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;

import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.testing.NoScript;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.data.redis.RedisSystemException;

/** Calls that begin before there is a connection. */
class LettuceWireTest {

    private final CompletableFuture<StatefulRedisConnection<byte[], byte[]>> node = new CompletableFuture<>();

    @SuppressWarnings("unchecked")
    private final StatefulRedisConnection<byte[], byte[]> connection =
            mock(StatefulRedisConnection.class, RETURNS_DEEP_STUBS);

    private Wire.Sent begin(Duration timeout) {
        Wire.ScriptCall call = new Wire.ScriptCall(new NoScript(), 1, new byte[][] {{'k'}}, false);
        return new LettuceWire(key -> node, unusable -> {}, timeout)
                .send(List.of(call), Wire.Acks.NONE, System.nanoTime());
    }

    @Test
    void call_goes_out_as_soon_as_the_connection_is_there() {
        var unused = begin(Duration.ofMinutes(1));
        verifyNoInteractions(connection);

        node.complete(connection);

        verify(connection).async();
    }

    @Test
    void call_whose_time_was_over_is_never_sent() {
        Wire.Sent sent = begin(Duration.ofMillis(1));
        assertThatThrownBy(sent::await).isInstanceOf(QueryTimeoutException.class);

        node.complete(connection);

        verifyNoInteractions(connection);
    }

    @Test
    void call_whose_caller_was_interrupted_is_never_sent() {
        Wire.Sent sent = begin(Duration.ofMinutes(1));
        Thread.currentThread().interrupt();
        assertThatThrownBy(sent::await).isInstanceOf(RedisSystemException.class);
        assertThat(Thread.interrupted()).isTrue();

        node.complete(connection);

        verifyNoInteractions(connection);
    }
}
