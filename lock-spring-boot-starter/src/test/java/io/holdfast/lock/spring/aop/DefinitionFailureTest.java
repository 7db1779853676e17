package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DefinitionFailureTest {

    static class NothingToLock {
        @DistributedLock
        public void run() {}
    }

    static class NoExpression {
        @DistributedLock(key = "'open")
        public void run() {}
    }

    static class ShortLease {
        @DistributedLock(key = "'x'", lease = 99, timeUnit = TimeUnit.MILLISECONDS)
        public void run() {}
    }

    static class NegativeLease {
        @DistributedLock(key = "'x'", lease = -2)
        public void run() {}
    }

    static class HugeLease {
        @DistributedLock(key = "'x'", lease = Long.MAX_VALUE, timeUnit = TimeUnit.DAYS)
        public void run() {}
    }

    static class NegativeWait {
        @DistributedLock(key = "'x'", waitForString = "-1s")
        public void run() {}
    }

    static class BothForms {
        @DistributedLock(key = "'x'", lease = 1, leaseString = "1s")
        public void run() {}
    }

    static class NoDuration {
        @DistributedLock(key = "'x'", leaseString = "soon")
        public void run() {}
    }

    static class NoPlaceholder {
        @DistributedLock(key = "'x'", leaseString = "${not.there}")
        public void run() {}
    }

    static class ShortPlaceholder {
        @DistributedLock(key = "'x'", leaseString = "${app.lease}")
        public void run() {}
    }

    static class PrimitiveSkip {
        @DistributedLock(key = "'x'", onContention = OnContention.SKIP)
        public int run() {
            return 1;
        }
    }

    static class ReturnsFuture {
        @DistributedLock(key = "'x'")
        public FutureTask<String> run() {
            return null;
        }
    }

    static class ReturnsMono {
        @DistributedLock(key = "'x'")
        public reactor.core.publisher.Mono<String> run() {
            return null;
        }
    }

    static class ReturnsFlowPublisher {
        @DistributedLock(key = "'x'")
        public java.util.concurrent.Flow.Publisher<String> run() {
            return null;
        }
    }

    static class Suspending {
        @DistributedLock(key = "'x'")
        public Object run(String id, kotlin.coroutines.Continuation<String> continuation) {
            return null;
        }
    }

    private static void fails(Class<?> bean, String... texts) {
        Runners.inMemory()
                .withPropertyValues("app.lease=50ms")
                .withBean(bean)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(bean.getSimpleName() + ".run(")
                        .contains(texts));
    }

    @Test
    void neither_name_nor_key() {
        fails(NothingToLock.class, "neither a name nor a key");
    }

    @Test
    void key_that_cannot_be_parsed() {
        fails(NoExpression.class, "key = \"'open\"", "single quotes");
    }

    @Test
    void lease_below_100_ms() {
        fails(ShortLease.class, "lease = 99 MILLISECONDS", "Allowed is 100 ms");
    }

    @Test
    void negative_lease() {
        fails(NegativeLease.class, "lease = -2 SECONDS");
    }

    @Test
    void lease_too_large_to_count() {
        fails(HugeLease.class, "lease = 9223372036854775807 DAYS", "365 days");
    }

    @Test
    void negative_wait() {
        fails(NegativeWait.class, "waitForString = \"-1s\"", "Allowed is 0 ms");
    }

    @Test
    void number_and_text_together() {
        fails(BothForms.class, "both lease = 1 and leaseString = \"1s\"");
    }

    @Test
    void text_that_is_no_duration() {
        fails(NoDuration.class, "leaseString = \"soon\"");
    }

    @Test
    void placeholder_without_a_value() {
        fails(NoPlaceholder.class, "leaseString = \"${not.there}\"");
    }

    @Test
    void placeholder_with_a_lease_that_is_too_short() {
        fails(ShortPlaceholder.class, "leaseString = \"${app.lease}\" (50ms)");
    }

    @Test
    void skip_with_a_primitive_result() {
        fails(PrimitiveSkip.class, "onContention = SKIP", "primitive int", "Return Integer");
    }

    @Test
    void future_that_cannot_be_followed() {
        fails(ReturnsFuture.class, "FutureTask", "not supported");
    }

    @Test
    void reactive_result() {
        fails(ReturnsMono.class, "Mono", "not supported");
    }

    @Test
    void reactive_result_of_the_jdk() {
        fails(ReturnsFlowPublisher.class, "Flow$Publisher", "not supported");
    }

    @Test
    void suspend_function() {
        fails(Suspending.class, "suspend function", "not supported");
    }
}
