package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.holdfast.lock.redis.driver.Wire.Acks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import redis.clients.jedis.Connection;

/** How long a call waits for its reply, by how long it has waited for its connection. */
class ReplyTimeTest {

    private static final Duration TIMEOUT = Duration.ofHours(1);
    private static final int TIMEOUT_MILLIS = (int) TIMEOUT.toMillis();

    private final Connection connection = mock(Connection.class);

    /** The timeouts that the connection was given, in milliseconds. */
    private List<Integer> send(Duration waited, Acks acks) {
        when(connection.getMany(anyInt())).thenAnswer(invoked -> new ArrayList<>(List.of(1L)));
        JedisConnections connections = spy(new JedisConnections(
                new RedisStandaloneConfiguration("somewhere"),
                JedisClientConfiguration.defaultConfiguration(),
                "Redis at somewhere:6379",
                TIMEOUT,
                1));
        ServerConnections.Slot place = new ServerConnections(1, TIMEOUT, TIMEOUT).take(0);
        place.connection = connection;
        doReturn(place).when(connections).borrow(any(), anyBoolean(), anyLong(), any());
        Wire.ScriptCall call = new Wire.ScriptCall(LuaScript.RELEASE, 1, new byte[][] {{'k'}}, false);

        var unused = connections
                .send(false, new Wire.Calls(List.of(call), false, acks, System.nanoTime() - waited.toNanos(), null))
                .get();

        ArgumentCaptor<Integer> millis = ArgumentCaptor.captor();
        verify(connection, atLeastOnce()).setSoTimeout(millis.capture());
        return millis.getAllValues();
    }

    @Test
    void reply_has_what_the_wait_for_a_connection_has_left_of_the_timeout() {
        List<Integer> millis = send(TIMEOUT.dividedBy(4), Acks.NONE);

        assertThat(millis.get(0)).isBetween(TIMEOUT_MILLIS / 2, TIMEOUT_MILLIS * 3 / 4);
    }

    /** A process may have been stopped before the send; what passes after it counts. */
    @Test
    void reply_has_half_of_the_timeout_from_the_send_on() {
        long begun = System.nanoTime();
        List<Integer> millis = send(TIMEOUT.multipliedBy(2), Acks.NONE);

        assertThat(millis.get(0)).isBetween(TIMEOUT_MILLIS / 2 - millisSince(begun), TIMEOUT_MILLIS / 2);
    }

    private static int millisSince(long nanos) {
        return (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos) + 1;
    }

    @Test
    void replicas_have_their_time_in_addition() {
        long begun = System.nanoTime();
        List<Integer> millis = send(TIMEOUT.multipliedBy(2), new Acks(1, TIMEOUT));

        assertThat(millis.get(1)).isBetween(TIMEOUT_MILLIS * 3 / 2 - millisSince(begun), TIMEOUT_MILLIS * 3 / 2);
    }

    @Test
    void connection_goes_back_with_its_own_timeout() {
        List<Integer> millis = send(TIMEOUT.multipliedBy(2), Acks.NONE);

        assertThat(millis).endsWith(TIMEOUT_MILLIS);
    }
}
