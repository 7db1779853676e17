package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Readers share, writers are alone, and get their turn. */
class ReadWriteModelTest extends SharingModelScenes {

    private final String key = "read-write:" + UUID.randomUUID();
    private final LockRequest write = LockRequest.of(key).waitFor(Duration.ofMinutes(1));
    private final LockRequest read = write.shared();

    @Override
    void follow(SharingSchedule schedule) {
        int together = schedule.run(STEPS, random -> request -> random.nextInt(3) == 0 ? request : request.shared());

        assertThat(together).isGreaterThan(2);
    }

    /** Equal, but while somebody writes. */
    private static final class Pair {
        final AtomicInteger left = new AtomicInteger();
        final AtomicInteger right = new AtomicInteger();

        void write() {
            int next = left.get() + 1;
            left.set(next);
            Thread.yield();
            right.set(next);
        }

        boolean isWhole() {
            int seen = left.get();
            Thread.yield();
            return seen == right.get();
        }
    }

    @ParameterizedTest
    @EnumSource
    void readers_never_see_what_a_writer_has_half_done(TestRedis.Client driver) {
        int writes = 150;
        Pair pair = new Pair();
        try (Clients clients = Clients.open(3, driver, TestRedis.shared().port())) {
            List<CompletableFuture<Void>> running = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                boolean writer = i < 3;
                running.add(clients.async(i % 3, locks -> {
                    while (pair.left.get() < writes) {
                        visit(locks, pair, writer);
                    }
                    return null;
                }));
            }
            running.forEach(CompletableFuture::join);
            clients.awaitNothingLeft(key);
        }
        assertThat(pair.isWhole()).isTrue();
    }

    private void visit(LockEngine locks, Pair pair, boolean writer) {
        try (LockHandle handle = locks.acquire(writer ? write : read)) {
            assertThat(pair.isWhole()).isTrue();
            if (writer) {
                pair.write();
            }
            assertThat(pair.isWhole()).isTrue();
        }
    }

    /** Each reader stays until the next one has come, or for a while, as none comes while a writer waits. */
    @Test
    void writer_gets_in_although_readers_take_turns_without_a_gap() {
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger came = new AtomicInteger();
        try (Clients clients =
                Clients.open(3, TestRedis.Client.JEDIS, TestRedis.shared().port())) {
            List<CompletableFuture<Void>> readers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                readers.add(clients.async(i % 2, locks -> {
                    while (!over.get()) {
                        try (LockHandle handle = locks.acquire(read)) {
                            awaitNext(came, came.incrementAndGet());
                        }
                    }
                    return null;
                }));
            }
            try {
                for (int i = 0; i < 5; i++) {
                    int before = came.get();
                    clients.async(2, locks -> locks.acquire(write).detach())
                            .join()
                            .close();
                    awaitNext(came, before);
                }
            } finally {
                over.set(true);
            }
            readers.forEach(CompletableFuture::join);
            clients.awaitNothingLeft(key);
        }
    }

    private static void awaitNext(AtomicInteger came, int last) {
        long end = System.nanoTime() + Duration.ofMillis(300).toNanos();
        while (came.get() <= last && System.nanoTime() - end < 0) {
            Thread.yield();
        }
    }
}
