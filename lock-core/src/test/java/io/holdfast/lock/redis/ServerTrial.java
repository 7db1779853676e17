package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.holdfast.lock.api.LocalLocks.SubscriptionState;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.Findings.Ability;
import io.holdfast.lock.redis.RedisLockSettings.ReplicaAcks;
import io.holdfast.lock.store.scan.StoreScan;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Two clients on one server, whose user may not be allowed to do everything. What must work, works, or the trial fails. */
final class ServerTrial {

    /** How often a lock is handed over until a message wakes the waiter: a poll may come first. */
    private static final int MAX_HAND_OVERS = 5;

    /** Renewed every second, so a holder that receives no message soon learns of its loss. */
    private static final Duration SHORT_LEASE = Duration.ofSeconds(3);

    private final RedisLockStore store;
    private final CapturedLog log;
    private final Duration patience;
    private final String prefix = UUID.randomUUID().toString();
    private final Set<Ability> working = EnumSet.noneOf(Ability.class);

    private ServerTrial(RedisLockStore store, CapturedLog log, Duration patience) {
        this.store = store;
        this.log = log;
        this.patience = patience;
    }

    /**
     * Tries locks.
     *
     * @param application not closed
     * @param patience for everything that must happen at some time
     */
    static Findings run(RedisConnectionFactory application, RedisLockSettings settings, Duration patience) {
        try (CapturedLog log = new CapturedLog("io.holdfast.lock.redis", Level.WARN);
                RedisLockStore store = new RedisLockStore(application, settings)) {
            ServerTrial trial = new ServerTrial(store, log, patience);
            String failure = trial.failure();
            if (failure.isEmpty()) {
                trial.useLocks();
                trial.useExtras();
                trial.awaitReplicas(application, settings);
            }
            return new Findings(trial.working, store.warnings(), trial.logged(), failure);
        }
    }

    private String failure() {
        try (LockEngine locks = LockEngine.builder(store).build();
                LockHandle handle = locks.acquire(request("first"))) {
            return "";
        } catch (LockStoreException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private LockRequest request(String name) {
        return LockRequest.of(prefix + name).waitFor(patience);
    }

    private List<String> logged() {
        return log.events().stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private void useLocks() {
        try (LockEngine one = LockEngine.builder(store).build();
                LockEngine another = LockEngine.builder(store).build()) {
            for (int i = 0; i == 0 || (i < MAX_HAND_OVERS && missesMessage(another)); i++) {
                handOver(one, another);
            }
            if (another.subscriptionState() == SubscriptionState.CONNECTED) {
                working.add(Ability.SUBSCRIPTION);
            }
            if (another.wakeups() > 0) {
                working.add(Ability.MESSAGES);
            }
            loseByTime(one, another);
            loseByForce(another, one);
        }
        working.add(Ability.LOCKS);
    }

    private boolean missesMessage(LockEngine waiting) {
        return waiting.wakeups() == 0
                && waiting.subscriptionState() == SubscriptionState.CONNECTED
                && store.warnings().isEmpty();
    }

    private void handOver(LockEngine one, LockEngine another) {
        LockRequest request = request("handed over");
        LockHandle held = one.acquire(request);
        CompletableFuture<Long> next = NewThread.start(() -> {
            try (LockHandle handle = another.acquire(request)) {
                return handle.fencingToken();
            }
        });
        await(() -> next.isDone() || store.inspect(request.key()).waiters() == 1);
        await(() -> next.isDone()
                || another.subscriptionState() == SubscriptionState.CONNECTED
                || logged().stream().anyMatch(line -> line.startsWith("Wakeup subscription is down")));
        assertThat(store.inspect(request.key()).holders()).hasSize(1);
        long token = held.fencingToken();

        held.close();

        assertThat(next.orTimeout(patience.toMillis(), TimeUnit.MILLISECONDS).join())
                .isGreaterThan(token);
    }

    private void loseByTime(LockEngine one, LockEngine another) {
        LockRequest request = request("short");
        LockHandle lost = one.acquire(request.lease(Duration.ofMillis(150)).renew(false));

        try (LockHandle next = another.acquire(request)) {
            assertThat(lost.isHeld()).isFalse();
            assertThat(next.isHeld()).isTrue();
            assertThat(store.inspect(request.key()).holders()).hasSize(1);
        }
        assertThatThrownBy(lost::close).isInstanceOf(LockLostException.class);
    }

    private void loseByForce(LockEngine subscribed, LockEngine another) {
        LockHandle held = subscribed.acquire(request("forced").lease(SHORT_LEASE));

        assertThat(another.forceRelease(held.key().value())).hasSize(1);

        await(() -> !held.isHeld());
        assertThatThrownBy(held::close).isInstanceOf(LockLostException.class);
    }

    private void useExtras() {
        if (!store.evictionPolicies().containsValue("unknown")) {
            working.add(Ability.EVICTION_POLICY);
        }
        try (LockEngine locks = LockEngine.builder(store).build();
                LockHandle listed = locks.acquire(request("listed"))) {
            StoreScan scan = store.openScan(prefix).orElseThrow();
            while (scan.step()) {}
            if (scan.isComplete()) {
                assertThat(scan.found()).anyMatch(status -> status.key().equals(listed.key()));
                working.add(Ability.LIST);
            }
        } catch (LockStoreException notPermitted) {
            working.remove(Ability.LIST);
        }
    }

    /** Whether there are replicas does not matter. */
    private void awaitReplicas(RedisConnectionFactory application, RedisLockSettings settings) {
        ReplicaAcks one = new ReplicaAcks(1, Duration.ofMillis(100));
        try (RedisLockStore acknowledged = new RedisLockStore(application, settings.withReplicaAcks(one));
                LockEngine locks = LockEngine.builder(acknowledged).build();
                LockHandle handle = locks.acquire(request("acknowledged"))) {
            working.add(Ability.REPLICA_ACKS);
        } catch (LockStoreException e) {
            if (String.valueOf(e.getMessage()).contains("0 of 1 replicas")) {
                working.add(Ability.REPLICA_ACKS);
            }
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("requires dedicated connections");
        }
    }

    private void await(Callable<Boolean> condition) {
        Awaitility.await()
                .atMost(patience)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(condition);
    }
}
