package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.autoconfigure.observation.LockMetricsAutoConfiguration;
import io.holdfast.lock.testing.TestRedis;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** The store is created at startup only where locks are used: here it cannot be, because there are two factories. */
@ExtendWith(OutputCaptureExtension.class)
class UnusedLocksTest {

    record User(LockTemplate locks) {}

    static class Locked {

        @DistributedLock(name = "any")
        void run() {}
    }

    static class Guarded {

        @LeaderOnly("any")
        void run() {}
    }

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(Runners.lockConfigurations()))
            .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
            .withPropertyValues("management.health.locks.enabled=false")
            .withBean("first", RedisConnectionFactory.class, UnusedLocksTest::factory);

    private final ApplicationContextRunner broken =
            application.withBean("second", RedisConnectionFactory.class, UnusedLocksTest::factory);

    private static RedisConnectionFactory factory() {
        return TestRedis.jedis(TestRedis.shared().port());
    }

    private static void fails(ApplicationContextRunner runner) {
        runner.run(context ->
                assertThat(Startup.failureOf(context)).contains("Locks need a single RedisConnectionFactory"));
    }

    @Test
    void application_without_locks_creates_neither_store_nor_template_nor_properties(CapturedOutput output) {
        broken.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(List.of(context.getBeanFactory().getSingletonNames()))
                    .doesNotContain("holdfastLockStore", "holdfastLockTemplate")
                    .noneMatch(name -> name.contains("LockProperties"));
        });
        assertThat(output).doesNotContain("Locks are kept in");
    }

    @Test
    void store_of_an_injected_template_is_checked() {
        fails(broken.withBean(User.class));
    }

    @Test
    void store_of_a_locked_method_is_checked() {
        fails(broken.withBean(Locked.class));
    }

    @Test
    void store_of_a_locked_method_is_checked_although_its_bean_does_not_exist_yet() {
        fails(broken.withBean(Locked.class, Locked::new, definition -> definition.setLazyInit(true)));
    }

    @Test
    void store_of_a_leader_is_checked() {
        fails(broken.withBean(Guarded.class));
    }

    @Test
    void store_that_metrics_observe_is_checked() {
        assertThat(Runners.lockConfigurations()).contains(LockMetricsAutoConfiguration.class);
        fails(broken.withBean(MeterRegistry.class, SimpleMeterRegistry::new));
    }

    @Test
    void store_that_health_observes_is_checked() {
        fails(broken.withPropertyValues("management.health.locks.enabled=true"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast.lease=20s", "holdfast.locks.any.lease=20s", "holdfast.enabled=true"})
    void store_of_an_application_with_properties_is_checked(String property) {
        fails(broken.withPropertyValues(property));
    }

    /** Such as JNDI. */
    @Test
    void store_of_an_application_with_a_property_source_that_lists_no_names_is_checked() {
        fails(with(broken, new PropertySource<>("unlisted", "") {
            @Override
            public @Nullable Object getProperty(String name) {
                return name.equals("holdfast.lease") ? "20s" : null;
            }
        }));
    }

    @Test
    void environment_variable_with_the_name_of_the_starter_is_not_a_property() {
        PropertySource<?> variable = new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of("HOLDFAST", "/opt/holdfast"));
        with(broken, variable).run(context -> assertThat(context).hasNotFailed());
        with(application.withBean(Locked.class), variable)
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static ApplicationContextRunner with(ApplicationContextRunner runner, PropertySource<?> source) {
        return runner.withInitializer(
                context -> context.getEnvironment().getPropertySources().addFirst(source));
    }

    @Test
    void property_of_an_application_without_locks_is_checked() {
        application
                .withPropertyValues("holdfast.lease=1ms")
                .run(context -> assertThat(Startup.failureOf(context)).contains("holdfast.lease"));
    }

    @Test
    void place_of_locks_is_logged_at_the_start_of_an_application_with_a_locked_method(CapturedOutput output) {
        application.withBean(Locked.class).run(context -> assertThat(output).contains("Locks are kept in"));
    }

    @Test
    void template_is_created_for_the_first_who_asks() {
        application.run(context -> {
            assertThat(context.getBeanFactory().containsSingleton("holdfastLockTemplate"))
                    .isFalse();
            context.getBean(LockTemplate.class).execute("any", () -> {});
        });
    }

    @Test
    void child_without_a_template_of_its_own_checks_that_of_its_parent() {
        broken.run(parent -> {
            assertThat(parent).hasNotFailed();
            fails(application.withParent(parent).withBean(Locked.class));
        });
    }

    @Test
    void lazy_application_creates_it_later_even_if_there_are_locked_methods() {
        broken.withBean(Locked.class)
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(context).hasNotFailed());
    }
}
