package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.LockRequestCustomizer;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.scheduling.annotation.Scheduled;

/** Which settings a request has: the annotation's, its instance's, the defaults, and a customizer's last word. */
@ExtendWith(OutputCaptureExtension.class)
class NamedSettingsTest {

    static class Orders {

        @DistributedLock(name = "order", key = "#id")
        public void silent(long id) {}

        @DistributedLock(
                name = "order",
                key = "#id",
                mode = LockMode.SHARED,
                limit = 2,
                lease = 3,
                waitFor = 4,
                minHold = 5,
                renew = false,
                fair = true)
        public void explicit(long id) {}

        @DistributedLock(name = "order", key = "#id", mode = LockMode.SHARED)
        public void shared(long id) {}

        @DistributedLock(key = "'bare-' + #id")
        public void unnamed(long id) {}

        @DistributedLock(name = "${app.name}", key = "'${app.prefix}' + #id")
        public void fromProperties(long id) {}

        @DistributedLock(name = "order", key = "#id", minHoldString = "${app.time}", waitForString = "2m")
        public void texts(long id) {}

        @DistributedLock(name = "order", key = "#id", waitFor = DistributedLock.FOREVER)
        public void patient(long id) {}

        @DistributedLock(
                name = "order",
                key = "#id",
                waitFor = DistributedLock.FOREVER,
                timeUnit = TimeUnit.NANOSECONDS)
        public void patientByNanoseconds(long id) {}

        @Scheduled(cron = Scheduled.CRON_DISABLED)
        @DistributedLock(name = "job")
        public void job() {}

        @Scheduled(cron = Scheduled.CRON_DISABLED)
        @Scheduled(cron = Scheduled.CRON_DISABLED)
        @DistributedLock(name = "job-twice", minHold = 3)
        public void jobTwice() {}
    }

    private final ApplicationContextRunner runner = Runners.inMemory()
            .withBean(Orders.class)
            .withBean(RequestRecorder.class)
            .withPropertyValues("app.name=from-property", "app.prefix=p-", "app.time=7s");

    private final ApplicationContextRunner configured = runner.withPropertyValues(
            "holdfast.locks.order.lease=30s",
            "holdfast.locks.order.wait-for=40s",
            "holdfast.locks.order.renew=true",
            "holdfast.locks.order.min-hold=50s",
            "holdfast.locks.order.max-hold=60s",
            "holdfast.locks.order.fair=true",
            "holdfast.locks.order.limit=9");

    private static LockRequest requestOf(ApplicationContextRunner application, Consumer<Orders> call) {
        LockRequest[] request = new LockRequest[1];
        application.run(context -> {
            call.accept(context.getBean(Orders.class));
            request[0] = context.getBean(RequestRecorder.class).seen().get(0);
        });
        return request[0];
    }

    @Test
    void what_is_said_of_all_scheduled_methods_is_said_of_no_other() {
        var common = runner.withPropertyValues(
                "holdfast.scheduled.min-hold=9s",
                "holdfast.scheduled.wait-for=0s",
                "holdfast.locks.job.max-hold=60s",
                "holdfast.wait-for=8s");
        assertThat(requestOf(common, Orders::job))
                .isEqualTo(LockRequest.of("job")
                        .name("job")
                        .minHold(Duration.ofSeconds(9))
                        .waitFor(Duration.ZERO)
                        .maxHold(Duration.ofSeconds(60)));
        assertThat(requestOf(common, Orders::jobTwice))
                .isEqualTo(LockRequest.of("job-twice")
                        .name("job-twice")
                        .minHold(Duration.ofSeconds(3))
                        .waitFor(Duration.ZERO));
        assertThat(requestOf(common, orders -> orders.silent(1)))
                .isEqualTo(LockRequest.of("order:1").name("order").waitFor(Duration.ofSeconds(8)));
    }

    @Test
    void instance_says_more_than_what_is_said_of_all_scheduled_methods() {
        var both = runner.withPropertyValues("holdfast.scheduled.min-hold=9s", "holdfast.locks.job.min-hold=2s");
        assertThat(requestOf(both, Orders::job).minHold()).contains(Duration.ofSeconds(2));
    }

    @Test
    void wait_may_have_no_limit() {
        LockRequest patient = LockRequest.of("order:1").name("order").waitFor(LockRequest.MAX_TIME);
        assertThat(requestOf(configuredWait(), orders -> orders.patient(1))).isEqualTo(patient);
        assertThat(requestOf(configuredWait(), orders -> orders.patientByNanoseconds(1)))
                .isEqualTo(patient);
        assertThat(patient.waitFor()).contains(LockRequest.MAX_TIME);
    }

    private ApplicationContextRunner configuredWait() {
        return runner.withPropertyValues("holdfast.wait-for=8s");
    }

    @Test
    void bad_value_for_scheduled_methods_fails_the_start() {
        runner.withPropertyValues("holdfast.scheduled.min-hold=-1s")
                .run(context -> assertThat(Startup.failureOf(context)).contains("holdfast.scheduled.min-hold"));
    }

    @Test
    void request_has_the_name_of_its_definition() {
        assertThat(requestOf(runner, orders -> orders.silent(1)).name()).isEqualTo("order");
    }

    @Test
    void request_without_a_name_is_called_by_class_and_method() {
        assertThat(requestOf(runner, orders -> orders.unnamed(1)).name()).isEqualTo("Orders.unnamed");
    }

    @Test
    void what_nobody_says_is_left_to_the_client_but_the_wait() {
        LockRequest plain = LockRequest.of("order:1").name("order").waitFor(Duration.ofSeconds(8));
        assertThat(requestOf(runner.withPropertyValues("holdfast.wait-for=8s"), orders -> orders.silent(1)))
                .isEqualTo(plain);
    }

    @Test
    void instance_says_what_the_annotation_does_not() {
        assertThat(requestOf(configured, orders -> orders.silent(1)))
                .isEqualTo(LockRequest.of("order:1")
                        .name("order")
                        .lease(Duration.ofSeconds(30))
                        .waitFor(Duration.ofSeconds(40))
                        .renew(true)
                        .minHold(Duration.ofSeconds(50))
                        .maxHold(Duration.ofSeconds(60))
                        .fair(true));
    }

    @Test
    void annotation_wins_over_the_instance() {
        assertThat(requestOf(configured, orders -> orders.explicit(1)))
                .isEqualTo(LockRequest.of("order:1")
                        .name("order")
                        .shared(2)
                        .lease(Duration.ofSeconds(3))
                        .waitFor(Duration.ofSeconds(4))
                        .renew(false)
                        .minHold(Duration.ofSeconds(5))
                        .maxHold(Duration.ofSeconds(60))
                        .fair(true));
    }

    @Test
    void limit_of_the_instance_is_for_shared_methods() {
        assertThat(requestOf(configured, orders -> orders.shared(1)).limit()).isEqualTo(9);
    }

    @Test
    void shared_without_a_limit_is_for_any_number() {
        assertThat(requestOf(runner, orders -> orders.shared(1)).limit()).isEqualTo(LockRequest.UNLIMITED);
    }

    @Test
    void instance_of_a_method_without_a_name_is_called_by_class_and_method() {
        LockRequest request = requestOf(
                runner.withPropertyValues("holdfast.locks[Orders.unnamed].lease=11s"), orders -> orders.unnamed(1));
        assertThat(request.lease()).contains(Duration.ofSeconds(11));
    }

    @Test
    void name_and_key_take_placeholders() {
        LockRequest request = requestOf(runner, orders -> orders.fromProperties(1));
        assertThat(request.name()).isEqualTo("from-property");
        assertThat(request.key().value()).isEqualTo("from-property:p-1");
    }

    @Test
    void texts_of_times_take_placeholders() {
        LockRequest request = requestOf(runner, orders -> orders.texts(1));
        assertThat(request.minHold()).contains(Duration.ofSeconds(7));
        assertThat(request.waitFor()).contains(Duration.ofMinutes(2));
    }

    @Test
    void instance_that_no_definition_has_the_name_of_is_warned_about(CapturedOutput output) {
        configured
                .withPropertyValues("holdfast.locks.ordr.lease=1s")
                .run(context -> assertThat(output)
                        .contains(
                                "holdfast.locks has settings for names that no @DistributedLock has: ordr",
                                "Known names: Orders.unnamed"));
    }

    @Test
    void instances_that_are_used_are_not_warned_about(CapturedOutput output) {
        configured.run(context -> assertThat(output).doesNotContain("holdfast.locks has settings"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Customizers {

        @Bean
        @Order(2)
        LockRequestCustomizer second() {
            return (request, method) -> LockRequest.of(request.key().value() + "/" + method.getName());
        }

        @Bean
        @Order(1)
        LockRequestCustomizer first() {
            return (request, method) -> LockRequest.of("tenant-" + request.key());
        }
    }

    @Test
    void customizers_have_the_last_word_in_their_order() {
        Runners.inMemory()
                .withUserConfiguration(Customizers.class)
                .withBean(Annotated.Keys.class)
                .run(context -> {
                    var template = context.getBean(io.holdfast.lock.api.LockTemplate.class);
                    Object held = context.getBean(Annotated.Keys.class)
                            .named(
                                    42,
                                    () -> template.inspect("tenant-order:42/named")
                                            .holder()
                                            .isPresent());
                    assertThat(held).isEqualTo(true);
                });
    }

    @Order(1)
    static class NewRequest implements LockRequestCustomizer {
        @Override
        public LockRequest customize(LockRequest request, java.lang.reflect.Method method) {
            return LockRequest.of("another");
        }
    }

    @Test
    void new_request_of_a_customizer_waits_and_is_called_as_the_former_one() {
        runner.withBean(NewRequest.class).run(context -> {
            context.getBean(Orders.class).silent(1);
            LockRequest used = context.getBean(RequestRecorder.class).seen().get(0);
            assertThat(used.key().value()).isEqualTo("another");
            assertThat(used.waitFor()).contains(Duration.ofSeconds(5));
            assertThat(used.name()).isNotEmpty();
        });
    }

    @Test
    void customizer_that_answers_null_is_named() {
        runner.withBean("nothing", LockRequestCustomizer.class, () -> (request, method) -> null)
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Orders.class).silent(1))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("NamedSettingsTest", "Orders.silent"));
    }

    @Test
    void what_a_customizer_throws_ends_the_call() {
        var own = new IllegalStateException("no tenant");
        runner.withBean("failing", LockRequestCustomizer.class, () -> (request, method) -> {
                    throw own;
                })
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Orders.class).silent(1))
                        .isSameAs(own));
    }
}
