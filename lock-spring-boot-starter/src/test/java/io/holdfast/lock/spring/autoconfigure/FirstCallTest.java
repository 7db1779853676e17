package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.StoreSpy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The first call of a client loads its driver and connects: that happens at startup, and may take its time. */
@ExtendWith(OutputCaptureExtension.class)
class FirstCallTest {

    /** Answers the first calls of the thread that starts the application as the given failure says. */
    private static final class Late extends StoreSpy {

        private final Thread starter = Thread.currentThread();
        private final CountDownLatch askedByOthers = new CountDownLatch(1);
        private final LockStoreException failure;
        private int failures;

        Late(int failures, LockStoreException failure) {
            super(new InMemoryLockStore());
            this.failures = failures;
            this.failure = failure;
        }

        @Override
        public LockStatus inspect(LockKey key) {
            if (Thread.currentThread() != starter) {
                askedByOthers.countDown();
                throw failure;
            }
            if (failures > 0) {
                failures--;
                throw failure;
            }
            return super.inspect(key);
        }
    }

    private static final LockStoreException LATE = new LockStoreException("Redis did not respond in time", null, true);
    private static final LockStoreException REFUSED = new LockStoreException("Redis refused", null, false);

    private static ApplicationContextRunner with(Late store, String... properties) {
        return Runners.starter().withBean(LockStore.class, () -> store).withPropertyValues(properties);
    }

    record User(LockTemplate locks) {}

    static class Locked {

        @DistributedLock(name = "any")
        void run() {}
    }

    /** Does not answer before it is closed. */
    private static final class ClosedMeanwhile extends StoreSpy {

        private final CountDownLatch asked = new CountDownLatch(1);
        private final CountDownLatch closed = new CountDownLatch(1);
        private final CountDownLatch failed = new CountDownLatch(1);

        ClosedMeanwhile() {
            super(new InMemoryLockStore());
        }

        @Override
        public LockStatus inspect(LockKey key) {
            asked.countDown();
            await(closed);
            failed.countDown();
            throw new LockStoreException("The connection was closed", null, true);
        }

        @Override
        public void close() {
            closed.countDown();
            super.close();
        }

        static void await(CountDownLatch latch) {
            try {
                assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    @Test
    void failure_is_not_logged_if_the_application_ends_meanwhile(CapturedOutput output) {
        ClosedMeanwhile store = new ClosedMeanwhile();
        Runners.starter()
                .withBean(LockStore.class, () -> store)
                .withBean(Locked.class)
                .run(context -> ClosedMeanwhile.await(store.asked));
        ClosedMeanwhile.await(store.failed);
        Awaitility.await()
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(each -> each.getName().equals("holdfast-warm-up")));
        assertThat(output).doesNotContain("The connection was closed");
    }

    @Test
    void store_is_asked_while_an_application_with_locked_methods_starts_and_a_failure_is_logged(CapturedOutput output) {
        Late store = new Late(0, LATE);
        with(store).withBean(Locked.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(store.askedByOthers.await(1, TimeUnit.MINUTES)).isTrue();
            Awaitility.await().until(() -> output.getAll().contains("Redis did not respond in time"));
        });
        assertThat(output).contains("WARN", "calls that need a lock fail until it is");
    }

    @Test
    void store_is_asked_if_a_bean_was_given_the_template() {
        Late store = new Late(0, LATE);
        with(store)
                .withBean(User.class)
                .run(context -> assertThat(store.askedByOthers.await(1, TimeUnit.MINUTES))
                        .isTrue());
    }

    @Test
    void nobody_is_asked_where_nothing_uses_locks() {
        Late store = new Late(0, LATE);
        with(store).run(context -> {
            assertThat(context).hasNotFailed();
            for (Thread each : Thread.getAllStackTraces().keySet()) {
                if (each.getName().equals("holdfast-warm-up")) {
                    each.join();
                }
            }
            assertThat(store.askedByOthers.getCount()).isOne();
        });
    }

    @Test
    void late_answers_do_not_fail_the_start() {
        with(new Late(2, LATE), "holdfast.fail-fast=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void server_that_is_late_again_and_again_fails_it() {
        with(new Late(3, LATE), "holdfast.fail-fast=true")
                .run(context -> assertThat(Startup.failureOf(context)).contains("did not respond in time"));
    }

    @Test
    void refusal_fails_it_at_once() {
        with(new Late(1, REFUSED), "holdfast.fail-fast=true")
                .run(context -> assertThat(Startup.failureOf(context)).contains("Redis refused"));
    }
}
