package io.holdfast.lock.spring.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedReadLock;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.leader.LeaderRoles;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Times and roles are resolved as in {@code @Scheduled}: placeholders, and then expressions for beans. */
class BeanExpressionsTest {

    record Settings(
            Duration lease,
            String pause,
            String role,
            @Nullable String none) {}

    static class Locked {

        @DistributedLock(name = "a", leaseString = "#{@settings.lease}", waitForString = "#{@settings.pause}")
        public void ofBean() {}

        @DistributedReadLock(name = "b", leaseString = "#{settings.lease.multipliedBy(2)}")
        public void ofComposed() {}

        @OnOneInstance(name = "c", minHold = "#{@settings.${app.property}}")
        public void withPlaceholder() {}

        @DistributedLock(name = "d", waitForString = "${app.expression}")
        public void inProperty() {}

        @DistributedLock(name = "e", leaseString = "#{@settings.none}")
        public void empty() {}
    }

    private static ApplicationContextRunner application() {
        return Runners.inMemory()
                .withPropertyValues("app.property=pause", "app.expression=#{@settings.pause}")
                .withBean(
                        "settings", Settings.class, () -> new Settings(Duration.ofSeconds(20), "3s", "reports", null));
    }

    private static Map<String, LockRequest> requests(ApplicationContext context) {
        return context.getBean(LockOperationSource.class).allOf(Locked.class).stream()
                .collect(java.util.stream.Collectors.toMap(
                        LockOperation::name, each -> each.locks().get(0).shape().get()));
    }

    @Test
    void times_may_come_from_beans() {
        application().withBean(Locked.class).run(context -> {
            Map<String, LockRequest> requests = requests(context);
            assertThat(requests.get("a").lease()).contains(Duration.ofSeconds(20));
            assertThat(requests.get("a").waitFor()).contains(Duration.ofSeconds(3));
            assertThat(requests.get("b").lease()).contains(Duration.ofSeconds(40));
            assertThat(requests.get("c").minHold()).contains(Duration.ofSeconds(3));
            assertThat(requests.get("d").waitFor()).contains(Duration.ofSeconds(3));
            assertThat(requests.get("e").lease()).isEmpty();
        });
    }

    static class Leader {
        @LeaderOnly("#{@settings.role}")
        public void run() {}
    }

    @Test
    void role_may_come_from_a_bean() {
        application().withBean(Leader.class).run(context -> {
            List<String> roles = context.getBean(LeaderRoles.class).known().stream()
                    .map(each -> each.role())
                    .toList();
            assertThat(roles).containsExactly("reports");
        });
    }

    static class UnknownBean {
        @DistributedLock(name = "a", leaseString = "#{@setings.lease}")
        public void run() {}
    }

    static class UnknownProperty {
        @LeaderOnly("#{@settings.rolle}")
        public void run() {}
    }

    static class BareNumber {
        @DistributedLock(name = "a", leaseString = "#{@settings.lease.toSeconds()}")
        public void run() {}
    }

    private static void fails(Class<?> bean, String... texts) {
        application()
                .withBean(bean)
                .run(context -> assertThat(Startup.failureOf(context)).contains(texts));
    }

    @Test
    void expression_that_cannot_be_evaluated_fails_the_start() {
        fails(
                UnknownBean.class,
                "UnknownBean.run() has leaseString = \"#{@setings.lease}\", but a bean or property in it cannot be read: ",
                "'setings'",
                "Define the bean, or correct its name.");
        fails(
                UnknownProperty.class,
                "UnknownProperty.run() has value = \"#{@settings.rolle}\", but a bean or property in it cannot be read: ",
                "'rolle'",
                "Correct the expression, or the bean that it uses.");
        fails(BareNumber.class, "leaseString = \"#{@settings.lease.toSeconds()}\" (20), without a unit");
    }

    static class NameOfBean {
        @DistributedLock(name = "#{@settings.role}")
        public void run() {}
    }

    @Test
    void name_stays_literal_text() {
        fails(NameOfBean.class, "but a name is literal text, not an expression");
    }
}
