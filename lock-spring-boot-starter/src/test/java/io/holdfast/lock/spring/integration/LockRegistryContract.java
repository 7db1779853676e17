package io.holdfast.lock.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.NewThread;
import java.io.IOException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;

/** What users of a lock registry rely on, on any store. Two clients stand for two instances of an application. */
@Timeout(60)
@SuppressWarnings("LockNotBeforeTry") // what fails ends the client
abstract class LockRegistryContract {

    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final Duration LEASE = Duration.ofSeconds(20);

    private final String registryKey = "registry-" + UUID.randomUUID();
    private final String key = registryKey + ":42";
    private LockEngine locks;
    private LockEngine others;
    private HoldfastLockRegistry registry;
    private HoldfastLockRegistry elsewhere;

    abstract LockStore store();

    @BeforeEach
    void connect() {
        locks = LockEngine.builder(store()).build();
        others = LockEngine.builder(store()).build();
        registry = new HoldfastLockRegistry(locks, registryKey, LEASE);
        elsewhere = new HoldfastLockRegistry(others, registryKey, LEASE);
    }

    @AfterEach
    void close() {
        locks.close();
        others.close();
    }

    private LockHolder holder() {
        return locks.inspect(key).holder().orElseThrow();
    }

    private boolean isFreeElsewhere() {
        return NewThread.call(() -> {
            Lock lock = elsewhere.obtain("42");
            boolean locked = lock.tryLock();
            if (locked) {
                lock.unlock();
            }
            return locked;
        });
    }

    @Test
    void locks_of_one_key_are_equal() {
        assertThat(registry.obtain("42"))
                .isEqualTo(registry.obtain("42"))
                .hasSameHashCodeAs(registry.obtain("42"))
                .isNotEqualTo(registry.obtain("43"))
                .isNotEqualTo(elsewhere.obtain("42"));
    }

    @Test
    void registry_is_of_all_kinds() {
        assertThat(registry)
                .isInstanceOf(LockRegistry.class)
                .isInstanceOf(ExpirableLockRegistry.class)
                .isInstanceOf(RenewableLockRegistry.class);
    }

    @Test
    void lock_excludes_the_same_key_elsewhere_until_unlocked() {
        Lock lock = registry.obtain("42");
        lock.lock();
        assertThat(isFreeElsewhere()).isFalse();
        lock.unlock();
        assertThat(isFreeElsewhere()).isTrue();
    }

    @Test
    void lock_excludes_no_other_key_and_no_other_registry() {
        registry.obtain("42").lock();

        assertThat(elsewhere.obtain("43").tryLock()).isTrue();
        assertThat(new HoldfastLockRegistry(others, registryKey + "2")
                        .obtain("42")
                        .tryLock())
                .isTrue();
    }

    @Test
    void lock_is_that_of_the_template_with_both_keys() {
        registry.obtain("42").lock();
        assertThat(others.tryAcquire(key)).isEmpty();
        assertThat(locks.getLock(key).isHeldByCurrentThread()).isTrue();
    }

    @Test
    void lock_is_reentrant_over_all_objects_of_a_key() {
        registry.obtain("42").lock();
        assertThat(registry.obtain("42").tryLock()).isTrue();
        registry.obtain("42").unlock();
        assertThat(isFreeElsewhere()).isFalse();
        registry.obtain("42").unlock();
        assertThat(isFreeElsewhere()).isTrue();
    }

    @Test
    void lock_is_bound_to_its_thread() {
        registry.obtain("42").lock();
        Throwable failure = NewThread.call(() -> {
            try {
                registry.obtain("42").unlock();
                return null;
            } catch (IllegalMonitorStateException e) {
                return e;
            }
        });
        assertThat(failure).isNotNull();
        assertThat(isFreeElsewhere()).isFalse();
    }

    @Test
    void waiter_gets_the_lock_when_it_is_unlocked() {
        Lock lock = registry.obtain("42");
        lock.lock();
        CompletableFuture<Boolean> waiting = NewThread.start(() -> {
            elsewhere.obtain("42").lock();
            return others.getLock(key).isHeldByCurrentThread();
        });
        Awaitility.await().until(() -> locks.inspect(key).waiters() == 1);

        lock.unlock();

        assertThat(waiting).succeedsWithin(WAIT).isEqualTo(true);
    }

    @Test
    void try_with_a_time_gives_up() throws InterruptedException {
        registry.obtain("42").lock();
        assertThat(elsewhere.obtain("42").tryLock(1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(elsewhere.obtain("42").tryLock(Duration.ofMillis(1), LEASE)).isFalse();
    }

    @Test
    void interrupt_ends_the_wait_and_clears_the_flag() {
        registry.obtain("42").lock();
        AtomicReference<Thread> thread = new AtomicReference<>();
        CompletableFuture<Boolean> flag = NewThread.start(() -> {
            thread.set(Thread.currentThread());
            try {
                elsewhere.obtain("42").lockInterruptibly();
                throw new AssertionError("Locked twice");
            } catch (InterruptedException e) {
                return Thread.currentThread().isInterrupted();
            }
        });
        Awaitility.await().until(() -> locks.inspect(key).waiters() == 1);

        thread.get().interrupt();

        assertThat(flag).succeedsWithin(WAIT).isEqualTo(false);
    }

    @Test
    void lease_is_that_of_the_registry() {
        registry.obtain("42").lock();
        assertThat(holder().remaining()).isLessThanOrEqualTo(LEASE);
        assertThat(locks.getLock(key).remaining()).isBetween(Duration.ofMillis(1), LEASE);
    }

    @Test
    void time_to_live_of_one_lock_is_its_lease() throws InterruptedException {
        DistributedLock lock = registry.obtain("42");
        lock.lock(Duration.ofHours(1));
        assertThat(holder().remaining()).isGreaterThan(Duration.ofMinutes(50));
        lock.unlock();

        assertThat(lock.tryLock(Duration.ZERO, Duration.ofHours(2))).isTrue();
        assertThat(holder().remaining()).isGreaterThan(Duration.ofMinutes(110));
        lock.unlock();
        assertThat(isFreeElsewhere()).isTrue();
    }

    @Test
    void lock_is_renewed_with_the_given_time() {
        registry.obtain("42").lock();

        registry.renewLock("42", Duration.ofHours(1));

        assertThat(holder().remaining()).isGreaterThan(Duration.ofMinutes(50));
        registry.obtain("42").unlock();
        assertThat(isFreeElsewhere()).isTrue();
    }

    @Test
    void lock_that_is_not_renewed_is_renewed_with_its_lease() {
        var fixed = new HoldfastLockRegistry(
                locks, registryKey, request -> request.renew(false).lease(Duration.ofHours(1)));
        var brief = new HoldfastLockRegistry(locks, registryKey, request -> request.renew(false));
        brief.obtain("42").lock();

        fixed.renewLock("42");

        assertThat(holder().remaining()).isGreaterThan(Duration.ofMinutes(50));
    }

    @Test
    void lock_that_is_renewed_anyway_may_be_renewed() {
        registry.obtain("42").lock();
        registry.renewLock("42");
        assertThat(holder().remaining()).isLessThanOrEqualTo(LEASE);
        registry.obtain("42").unlock();
        assertThat(isFreeElsewhere()).isTrue();
    }

    @Test
    void lock_with_a_minimum_hold_may_be_renewed() {
        var kept = new HoldfastLockRegistry(
                locks, registryKey, request -> request.lease(LEASE).minHold(Duration.ofSeconds(1)));
        kept.obtain("42").lock();

        kept.renewLock("42");
        kept.renewLock("42", Duration.ofHours(1));

        assertThat(holder().remaining()).isGreaterThan(Duration.ofMinutes(50));
        kept.obtain("42").unlock();
    }

    @Test
    void only_the_thread_that_holds_a_lock_can_renew_it() {
        elsewhere.obtain("42").lock();
        assertThatThrownBy(() -> registry.renewLock("42"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(key);
        assertThatThrownBy(() -> registry.renewLock("42", LEASE)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void messages_show_masked_keys() {
        String shown = LockKey.of(key).masked().toString();
        try (LockEngine masking = LockEngine.builder(store()).maskKeys(true).build()) {
            var masked = new HoldfastLockRegistry(masking, registryKey, LEASE);
            elsewhere.obtain("42").lock();
            assertThatThrownBy(() -> masked.renewLock("42"))
                    .hasMessage("Lock '" + shown + "' cannot be renewed, because the current thread does not hold it.");
            assertThatThrownBy(() -> masked.executeLocked("42", Duration.ofMillis(1), () -> {}))
                    .isInstanceOf(TimeoutException.class)
                    .hasMessage("Lock '" + shown + "' was not acquired within 1 ms");
            others.forceRelease(key);
            masked.obtain("42").lock();
            others.forceRelease(key);
            assertThatThrownBy(() -> masked.renewLock("42"))
                    .hasMessage("Lock '" + shown + "' cannot be renewed, because it was lost.");
        }
    }

    @Test
    void lost_lock_cannot_be_renewed() {
        registry.obtain("42").lock();
        others.forceRelease(key);

        assertThatThrownBy(() -> registry.renewLock("42"))
                .isInstanceOf(IllegalStateException.class)
                .hasCauseInstanceOf(LockLostException.class);
        assertThatThrownBy(() -> registry.obtain("42").unlock()).isInstanceOf(LockLostException.class);
        assertThat(isFreeElsewhere()).isTrue();
    }

    @Test
    void work_runs_while_its_lock_is_held() throws Exception {
        assertThat(registry.<Boolean, RuntimeException>executeLocked("42", this::isFreeElsewhere))
                .isFalse();
        registry.executeLocked("42", WAIT, () -> assertThat(isFreeElsewhere()).isFalse());
        registry.executeLocked("42", () -> assertThat(isFreeElsewhere()).isFalse());
        assertThat(isFreeElsewhere()).isTrue();
    }

    @Test
    void work_whose_lock_is_not_free_in_time_does_not_run() {
        registry.obtain("42").lock();
        assertThatThrownBy(() -> elsewhere.executeLocked("42", Duration.ofMillis(1), () -> {
                    throw new AssertionError("Ran");
                }))
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("42");
    }

    @Test
    void what_the_work_throws_passes_through_and_the_lock_is_free() {
        assertThatThrownBy(() -> registry.<String, IOException>executeLocked("42", () -> {
                    throw new IOException("work");
                }))
                .isInstanceOf(IOException.class)
                .hasMessage("work");
        assertThat(isFreeElsewhere()).isTrue();
    }

    @Test
    void what_the_work_throws_is_kept_if_the_lock_is_lost() {
        assertThatThrownBy(() -> registry.executeLocked("42", () -> {
                    others.forceRelease(key);
                    throw new IOException("work");
                }))
                .isInstanceOf(LockLostException.class)
                .satisfies(e -> assertThat(e.getSuppressed())
                        .hasSize(1)
                        .allSatisfy(each -> assertThat(each).isInstanceOf(IOException.class)));
    }

    @Test
    void settings_are_those_of_the_registry() {
        var shared = new HoldfastLockRegistry(locks, registryKey, request -> request.shared(2));
        try (LockHandle other =
                others.acquire(io.holdfast.lock.api.LockRequest.of(key).shared(2))) {
            assertThat(shared.obtain("42").tryLock()).isTrue();
            shared.renewLock("42", Duration.ofHours(1));
            shared.obtain("42").unlock();
            assertThat(other.isHeld()).isTrue();
        }
    }

    @Test
    void expiry_of_unused_locks_harms_no_used_one() {
        registry.obtain("42").lock();
        registry.expireUnusedOlderThan(0);
        assertThat(isFreeElsewhere()).isFalse();
        registry.obtain("42").unlock();
        assertThat(isFreeElsewhere()).isTrue();
    }

    @Test
    void key_is_a_text() {
        assertThatThrownBy(() -> registry.obtain(42)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> registry.obtain("\ud800")).isInstanceOf(LockKeyException.class);
    }

    @Test
    void lease_that_cannot_be_is_refused_when_the_registry_is_made() {
        LockTemplate template = locks;
        assertThatThrownBy(() -> new HoldfastLockRegistry(template, "r", Duration.ofMillis(99)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("100 ms");
    }

    @Test
    void conditions_are_not_supported() {
        Lock lock = registry.obtain("42");
        assertThatThrownBy(lock::newCondition).isInstanceOf(UnsupportedOperationException.class);
        assertThat(lock).hasToString("RegistryLock[RemoteLock[" + key + ", EXCLUSIVE, not held by this client]]");
        assertThat(registry).hasToString("HoldfastLockRegistry[" + registryKey + "]");
    }
}
