package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.spring.Bystander;
import io.holdfast.lock.spring.WebApplication;
import io.holdfast.lock.testing.NewThread;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** A web server ends while a request holds a lock, on a real Redis. */
@Tag("full")
@Timeout(120)
class WebShutdownTest {

    private static final String KEY = "web-shutdown";
    private static final Duration LEASE = Duration.ofSeconds(6);

    private final Bystander bystander = new Bystander();

    @AfterEach
    void close() {
        bystander.close();
    }

    /** Requests that run until the test lets them go. */
    @RestController
    static class Work {

        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch mayEnd = new CountDownLatch(1);
        private final AtomicReference<LockEvent.Lost> reported = new AtomicReference<>();
        private final LockTemplate locks;

        Work(LockTemplate locks) {
            this.locks = locks;
        }

        @GetMapping("/work")
        String work() {
            try (LockHandle lock = locks.acquire(LockRequest.of(KEY).lease(LEASE))) {
                lock.onLost(reported::set);
                entered.countDown();
                awaitWhateverHappens(mayEnd);
                lock.ensureHeld();
                return locks.execute(KEY + "-second", () -> "both held");
            }
        }

        /** A web server that does not wait interrupts its threads. */
        private static void awaitWhateverHappens(CountDownLatch latch) {
            boolean interrupted = false;
            while (latch.getCount() > 0) {
                try {
                    latch.await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void running_request_keeps_its_lock_and_may_take_others_until_it_is_done() throws Exception {
        WebApplication application = WebApplication.start(Work.class, "holdfast.shutdown.timeout=20s");
        Work work = application.bean(Work.class);
        CompletableFuture<HttpResponse<String>> response = application.getLater("/work");
        work.entered.await();

        CompletableFuture<Void> closed = NewThread.start(() -> {
            application.close();
            return null;
        });
        bystander.awaitRenewals(KEY, 2);

        assertThat(closed).isNotDone();
        work.mayEnd.countDown();
        assertThat(response.get().body()).isEqualTo("both held");
        closed.join();
        assertThat(work.reported).hasNullValue();
        assertThat(bystander.holderOf(KEY)).isEmpty();
    }

    @Test
    void request_that_outlasts_the_time_is_told() throws Exception {
        WebApplication application =
                WebApplication.start(Work.class, "holdfast.shutdown.timeout=1ms", "server.shutdown=immediate");
        Work work = application.bean(Work.class);
        CompletableFuture<HttpResponse<String>> response = application.getLater("/work");
        work.entered.await();

        application.close();

        assertThat(work.reported.get().cause()).isEqualTo(LossCause.CLOSED);
        assertThat(bystander.holderOf(KEY)).isEmpty();
        work.mayEnd.countDown();
        assertThat(response).failsWithin(Duration.ofMinutes(1));
    }
}
