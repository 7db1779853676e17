package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.store.LockStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** The threads on which calls of {@code executeAsync} wait. */
class AsyncThreadsTest {

    private static String threadOf(LockTemplate locks) {
        return locks.executeAsync("order:42", () -> CompletableFuture.completedFuture(Thread.currentThread()))
                .orTimeout(1, TimeUnit.MINUTES)
                .join()
                .toString();
    }

    @Test
    void are_those_of_the_platform() {
        Runners.inMemory()
                .run(context -> assertThat(threadOf(context.getBean(LockTemplate.class)))
                        .startsWith("Thread[")
                        .contains("holdfast-async-"));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void are_virtual_where_the_application_says_so() {
        Runners.inMemory()
                .withPropertyValues("spring.threads.virtual.enabled=true")
                .run(context -> assertThat(threadOf(context.getBean(LockTemplate.class)))
                        .startsWith("VirtualThread[")
                        .contains("holdfast-async-"));
    }

    @Test
    void are_bounded() {
        Runners.inMemory().withPropertyValues("holdfast.async.max-waiting=1").run(context -> {
            LockEngine locks = context.getBean(LockEngine.class);
            LockRequest request = LockRequest.of("order:42").waitFor(Duration.ofDays(1));
            LockEngine others =
                    LockEngine.builder(context.getBean(LockStore.class)).build();
            LockHandle held = others.acquire(request);
            CompletableFuture<Integer> first =
                    locks.executeAsync(request, lock -> CompletableFuture.completedFuture(1));
            Awaitility.await().until(() -> locks.waiting().size() == 1);

            assertThatThrownBy(locks.executeAsync(request, lock -> CompletableFuture.completedFuture(2))::join)
                    .hasCauseInstanceOf(LockOverloadException.class);

            held.close();
            assertThat(first.orTimeout(1, TimeUnit.MINUTES).join()).isEqualTo(1);
            others.close();
        });
    }
}
