package io.holdfast.lock.spring.autoconfigure.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Bystander;
import io.holdfast.lock.spring.WebApplication;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.annotation.Configuration;

/** What is scraped from a running application after real contention on a real Redis. */
@Timeout(120)
class PrometheusTest {

    @Configuration(proxyBeanMethods = false)
    static class Nothing {}

    private static final LockRequest ORDER = LockRequest.of("prometheus:42").name("order");

    @Test
    void meters_of_locks_are_scraped_after_contention() {
        try (WebApplication application =
                        WebApplication.start(Nothing.class, "management.endpoints.web.exposure.include=prometheus");
                Bystander bystander = new Bystander()) {
            LockTemplate locks = application.bean(LockTemplate.class);
            contend(locks, bystander.locks());
            LockHandle held = locks.acquire(ORDER.lease(Duration.ofSeconds(9)));
            bystander.awaitRenewals("prometheus:42", 1);
            Awaitility.await()
                    .untilAsserted(() -> assertThat(
                                    application.get("/actuator/prometheus").body())
                            .contains("holdfast_renewals_total{outcome=\"renewed\"}")
                            .doesNotContain("holdfast_renewals_total{outcome=\"renewed\"} 0.0"));

            assertThat(application.get("/actuator/prometheus").body())
                    .contains("holdfast_acquire_seconds_count{error=\"none\",name=\"order\",outcome=\"acquired\"} 2")
                    .contains(
                            "holdfast_acquire_seconds_count{error=\"none\",name=\"order\",outcome=\"not_acquired\"} 1")
                    .contains("holdfast_hold_seconds_count{name=\"order\"} 1")
                    .contains("holdfast_held{name=\"order\"} 1.0")
                    .contains("holdfast_waiting{name=\"order\"} 0.0")
                    .contains("holdfast_renewals_total{outcome=\"failed\"} 0.0")
                    .contains("holdfast_wakeups_total " + (double) ((LocalLocks) locks).wakeups())
                    .doesNotContain("prometheus:42");
            held.close();
        }
    }

    /** Somebody else has the lock: one caller goes without, the next one waits until he is called. */
    private static void contend(LockTemplate locks, LockTemplate others) {
        LockHandle elsewhere = others.acquire(ORDER);
        assertThat(locks.tryAcquire(ORDER)).isEmpty();
        CompletableFuture<LockHandle> waiter = NewThread.start(
                () -> locks.acquire(ORDER.waitFor(Duration.ofMinutes(1))).detach());
        Awaitility.await().until(() -> others.inspect("prometheus:42").waiters() == 1);
        Awaitility.await()
                .until(() -> ((LocalLocks) locks).subscriptionState() == LocalLocks.SubscriptionState.CONNECTED);
        elsewhere.close();
        waiter.join().close();
        Awaitility.await()
                .until(() -> ((LocalLocks) locks).wakeups() > 0 || handOver(locks, others)); // a poll may come first
    }

    private static boolean handOver(LockTemplate locks, LockTemplate others) {
        LockRequest request = LockRequest.of("prometheus:wakeup").waitFor(Duration.ofMinutes(1));
        LockHandle held = others.acquire(request);
        CompletableFuture<LockHandle> waiter =
                NewThread.start(() -> locks.acquire(request).detach());
        Awaitility.await().until(() -> others.inspect("prometheus:wakeup").waiters() == 1);
        held.close();
        waiter.join().close();
        return false;
    }
}
