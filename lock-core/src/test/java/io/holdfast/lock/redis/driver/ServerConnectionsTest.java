package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

import io.holdfast.lock.redis.driver.ServerConnections.Slot;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Connection;
import redis.clients.jedis.exceptions.JedisException;

class ServerConnectionsTest {

    private static final long PATIENCE = TimeUnit.MINUTES.toNanos(1);

    private final Connection connection = mock(Connection.class);

    private static ServerConnections connections(int number, Duration patience) {
        return new ServerConnections(number, Duration.ofHours(1), patience);
    }

    private Slot connected(ServerConnections of) {
        Slot place = of.take(0);
        place.connection = connection;
        return place;
    }

    private static CompletableFuture<Slot> waiter(ServerConnections of) {
        CompletableFuture<Slot> taken = new CompletableFuture<>();
        Thread thread = new Thread(() -> taken.complete(of.take(PATIENCE)));
        thread.start();
        Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
        return taken;
    }

    @Test
    void last_used_connection_is_used_again_before_another_one_is_made() {
        ServerConnections connections = connections(2, Duration.ZERO);
        Slot first = connected(connections);
        connections.take(0).giveBack();
        first.giveBack();

        assertThat(connections.take(0).connection).isSameAs(connection);
        assertThat(connections.take(0).connection).isNull();
    }

    @Test
    void place_goes_to_who_has_waited_long_and_to_nobody_who_comes_later() {
        ServerConnections connections = connections(1, Duration.ZERO);
        Slot taken = connected(connections);
        CompletableFuture<Slot> first = waiter(connections);
        CompletableFuture<Slot> second = waiter(connections);

        taken.giveBack();

        assertThatThrownBy(() -> connections.take(0)).isInstanceOf(NoSuchElementException.class);
        assertThat(first.join()).isSameAs(taken);
        assertThat(second).isNotDone();
        taken.giveBack();
        assertThat(second.join()).isSameAs(taken);
    }

    @Test
    void nobody_overtakes_callers_whose_patience_has_ended() throws Exception {
        ServerConnections connections = connections(1, Duration.ZERO);
        Slot taken = connections.take(0);
        for (int round = 0; round < 10; round++) {
            Set<CompletableFuture<Slot>> waiting = new HashSet<>();
            IntStream.range(0, 5).forEach(i -> waiting.add(waiter(connections)));

            while (!waiting.isEmpty()) {
                taken.giveBack();
                assertThatThrownBy(() -> connections.take(0)).isInstanceOf(NoSuchElementException.class);

                taken = (Slot) CompletableFuture.anyOf(waiting.toArray(CompletableFuture[]::new))
                        .get();
                waiting.removeIf(CompletableFuture::isDone);
            }
        }
    }

    @Test
    void two_places_that_come_back_at_the_same_time_wake_two() {
        ServerConnections connections = connections(2, Duration.ofHours(1));
        Slot one = connected(connections);
        Slot other = connected(connections);
        List<CompletableFuture<Slot>> waiting = List.of(waiter(connections), waiter(connections));

        one.giveBack();
        other.giveBack();

        assertThat(waiting).allSatisfy(CompletableFuture::join);
    }

    @Test
    void place_without_a_connection_goes_to_who_waits_as_well() {
        ServerConnections connections = connections(1, Duration.ZERO);
        Slot taken = connected(connections);
        CompletableFuture<Slot> waiter = waiter(connections);

        taken.disconnect();
        taken.giveBack();

        assertThat(waiter.join().connection).isNull();
    }

    @Test
    void who_stops_waiting_leaves_the_line() {
        ServerConnections connections = connections(1, Duration.ZERO);
        Slot taken = connections.take(0);

        assertThatThrownBy(() -> connections.take(1)).isInstanceOf(NoSuchElementException.class);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> connections.take(PATIENCE))
                .isInstanceOf(JedisException.class)
                .hasCauseInstanceOf(InterruptedException.class);
        Thread.interrupted();

        taken.giveBack();
        assertThat(connections.take(0)).isNotNull();
    }

    /** A place that is handed to a caller in the moment in which it stops waiting is used, and comes back. */
    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT0.0001S", "PT1H"})
    void no_place_is_lost_and_none_is_used_twice(Duration patience) {
        ServerConnections connections = connections(3, patience);
        AtomicInteger inUse = new AtomicInteger();
        AtomicInteger made = new AtomicInteger();
        List<CompletableFuture<Integer>> callers = IntStream.range(0, 8)
                .mapToObj(i -> NewThread.start(() -> {
                    int got = 0;
                    for (int call = 0; call < 1_000; call++) {
                        try {
                            Slot place = connections.take(call % 3 * 10_000L);
                            got++;
                            assertThat(inUse.incrementAndGet()).isLessThanOrEqualTo(3);
                            if (place.connection == null) {
                                place.connection = connection;
                                made.incrementAndGet();
                            }
                            Thread.yield();
                            inUse.decrementAndGet();
                            place.giveBack();
                        } catch (NoSuchElementException e) {
                            // in time or not is not the point
                        }
                    }
                    return got;
                }))
                .toList();

        assertThat(callers).allSatisfy(caller -> assertThat(caller.join()).isNotNegative());
        List<Slot> all = new ArrayList<>();
        IntStream.range(0, 3).forEach(i -> all.add(connections.take(0)));
        assertThat(all).doesNotHaveDuplicates();
        assertThat(made).hasValueBetween(1, 3);
    }

    /** The place comes back once for each of them: who misses it waits until its time is over. */
    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT1H"})
    void everybody_gets_the_place_when_it_comes_back(Duration patience) {
        ServerConnections connections = connections(1, patience);
        ExecutorService callers = Executors.newFixedThreadPool(2);
        for (int round = 0; round < 3_000; round++) {
            Slot taken = connections.take(0);
            List<CompletableFuture<Void>> waiting = Stream.generate(() -> CompletableFuture.runAsync(
                            () -> connections.take(PATIENCE).giveBack(), callers))
                    .limit(2)
                    .toList();
            for (int i = 0; i < round % 100 * 20; i++) {
                Thread.onSpinWait();
            }

            taken.giveBack();

            assertThat(waiting).allSatisfy(caller -> assertThat(caller).succeedsWithin(Duration.ofNanos(PATIENCE / 2)));
        }
        callers.shutdown();
    }

    @RepeatedTest(5)
    void who_was_woken_too_late_gets_the_place_when_it_comes_back_again() throws Exception {
        ServerConnections connections = connections(1, Duration.ofHours(1));
        Slot taken = connected(connections);
        CompletableFuture<Slot> waiter = waiter(connections);

        taken.giveBack();
        try {
            taken = connections.take(0);
            Thread.sleep(20);
            taken.giveBack();
        } catch (NoSuchElementException e) {
            // the waiter was quick
        }

        assertThat(waiter).succeedsWithin(Duration.ofNanos(PATIENCE / 2)).isSameAs(taken);
    }

    @Test
    void connections_that_nobody_uses_are_closed_at_once_and_others_when_they_come_back() throws Exception {
        ServerConnections connections = connections(2, Duration.ZERO);
        Connection other = mock(Connection.class);
        Slot used = connected(connections);
        Slot free = connections.take(0);
        free.connection = other;
        free.giveBack();

        connections.close();

        verify(other).forceDisconnect();
        verify(connection, never()).forceDisconnect();
        used.giveBack();
        verify(connection).forceDisconnect();
    }

    @Test
    void connections_that_were_used_since_the_broken_one_was_in_order_are_not_closed_with_it() throws Exception {
        ServerConnections connections = connections(3, Duration.ZERO);
        Connection old = mock(Connection.class);
        Slot broken = connected(connections);
        Slot fresh = connected(connections);
        Slot idle = connections.take(0);
        idle.connection = old;
        idle.giveBack();
        broken.giveBack();
        assertThat(connections.take(0)).isSameAs(broken);
        fresh.giveBack();

        broken.clearOlder();

        verify(old).forceDisconnect();
        assertThat(connections.take(0)).isSameAs(fresh);
        assertThat(connections.take(0).connection).isNull();
        verify(connection, never()).forceDisconnect();
    }

    /** With TLS that writes to the server, which may hang; and threads that wait for a monitor keep their carriers. */
    @Test
    void connections_are_closed_outside_of_synchronized() throws Exception {
        ServerConnections connections = connections(2, Duration.ZERO);
        List<Boolean> inside = new ArrayList<>();
        doAnswer(call -> inside.add(Thread.holdsLock(connections)))
                .when(connection)
                .forceDisconnect();
        connected(connections).giveBack();
        connections.clear(System.nanoTime());
        Slot used = connected(connections);
        connected(connections).giveBack();

        connections.close();
        used.giveBack();

        assertThat(inside).containsExactly(false, false, false);
    }

    @Test
    void connections_that_are_idle_for_long_are_closed_while_others_are_used() throws Exception {
        ServerConnections connections = new ServerConnections(2, Duration.ofMillis(1), Duration.ZERO);
        Slot used = connected(connections);
        Connection idle = mock(Connection.class);
        Slot other = connections.take(0);
        other.connection = idle;
        other.giveBack();
        TimeUnit.MILLISECONDS.sleep(2);

        used.giveBack();

        verify(idle).forceDisconnect();
        verify(connection, never()).forceDisconnect();
    }

    @Test
    void connection_that_was_idle_for_long_is_not_used_again() throws Exception {
        ServerConnections connections = new ServerConnections(1, Duration.ofMillis(1), Duration.ZERO);
        connected(connections).giveBack();
        Thread.sleep(10);

        assertThat(connections.take(0).connection).isNull();
        verify(connection).forceDisconnect();
    }
}
