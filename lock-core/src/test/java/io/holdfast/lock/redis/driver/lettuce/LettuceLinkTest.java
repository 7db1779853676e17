package io.holdfast.lock.redis.driver.lettuce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import io.lettuce.core.api.StatefulRedisConnection;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LettuceLinkTest {

    private final BlockingQueue<CompletableFuture<StatefulRedisConnection<byte[], byte[]>>> server =
            new LinkedBlockingQueue<>();
    private final AtomicInteger connects = new AtomicInteger();
    private final List<StatefulRedisConnection<byte[], byte[]>> retired = new CopyOnWriteArrayList<>();
    private final LettuceLink<StatefulRedisConnection<byte[], byte[]>> link =
            new LettuceLink<>(this::connect, retired::add);

    @AfterEach
    void close() {
        link.close();
    }

    private StatefulRedisConnection<byte[], byte[]> connect() {
        connects.incrementAndGet();
        try {
            return server.take().join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @SuppressWarnings("unchecked")
    private StatefulRedisConnection<byte[], byte[]> accept() {
        StatefulRedisConnection<byte[], byte[]> made = mock(StatefulRedisConnection.class);
        server.add(CompletableFuture.completedFuture(made));
        return made;
    }

    private void refuse() {
        server.add(CompletableFuture.failedFuture(new IllegalStateException("refused")));
    }

    @Test
    void all_wait_for_one_attempt() {
        CompletableFuture<StatefulRedisConnection<byte[], byte[]>> first = link.get();
        assertThat(link.get()).isSameAs(first);
        assertThat(link.isReady()).isFalse();

        StatefulRedisConnection<byte[], byte[]> made = accept();

        assertThat(first.join()).isSameAs(made);
        assertThat(link.get().join()).isSameAs(made);
        assertThat(link.isReady()).isTrue();
        assertThat(connects).hasValue(1);
    }

    @Test
    void failed_attempt_fails_all_who_wait_and_the_next_call_begins_another() {
        CompletableFuture<StatefulRedisConnection<byte[], byte[]>> first = link.get();
        refuse();
        assertThatThrownBy(first::join).hasRootCauseMessage("refused");

        StatefulRedisConnection<byte[], byte[]> made = accept();

        assertThat(link.get().join()).isSameAs(made);
        assertThat(connects).hasValue(2);
    }

    @Test
    void dropped_connection_is_replaced_once() {
        StatefulRedisConnection<byte[], byte[]> former = accept();
        assertThat(link.get().join()).isSameAs(former);

        link.drop(former);
        link.drop(former);
        StatefulRedisConnection<byte[], byte[]> next = accept();
        assertThat(link.get().join()).isSameAs(next);
        link.drop(former);

        assertThat(link.get().join()).isSameAs(next);
        assertThat(retired).containsExactly(former);
        assertThat(connects).hasValue(2);
    }

    @Test
    void close_ends_the_wait_and_gives_back_a_connection_that_comes_later() {
        CompletableFuture<StatefulRedisConnection<byte[], byte[]>> waiter = link.get();

        link.close();

        assertThatThrownBy(waiter::join).hasRootCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> link.get().join()).hasRootCauseInstanceOf(IllegalStateException.class);
        StatefulRedisConnection<byte[], byte[]> late = accept();
        Awaitility.await().until(() -> retired.contains(late));
        assertThat(connects).hasValue(1);
    }
}
