package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedReadLock;
import io.holdfast.lock.spring.annotation.DistributedSemaphore;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.testing.CapturedLog;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What would go wrong in silence is said once, at startup. */
class StartupWarningsTest {

    private static final String NAME = StartupWarningsTest.class.getName();

    static class Plain {
        public void run() {}
    }

    static class Locked {
        @DistributedLock(name = "any")
        public void run() {}
    }

    @LeaderOnly("any")
    static class Leader {
        public void run() {}
    }

    private static List<String> warnings(ApplicationContextRunner runner, Class<?>... beans) {
        ApplicationContextRunner all = runner;
        for (Class<?> bean : beans) {
            all = all.withBean(bean);
        }
        try (CapturedLog log = new CapturedLog("io.holdfast.lock.spring", Level.WARN)) {
            all.run(context -> assertThat(context).hasNotFailed());
            return log.events().stream().map(ILoggingEvent::getFormattedMessage).toList();
        }
    }

    private static ApplicationContextRunner disabled() {
        return Runners.inMemory().withPropertyValues("holdfast.enabled=false");
    }

    @Test
    void annotated_methods_of_a_disabled_starter_are_warned_of_once() {
        assertThat(warnings(disabled(), Plain.class, Locked.class, Leader.class))
                .containsExactly("While holdfast.enabled is false, methods run without locks and on every instance: ["
                        + NAME + "$Leader, " + NAME + "$Locked]");
    }

    @Test
    void disabled_starter_is_silent_without_annotated_methods() {
        assertThat(warnings(disabled(), Plain.class)).isEmpty();
        assertThat(warnings(Runners.inMemory(), Locked.class)).isEmpty();
    }

    @Test
    void annotated_methods_of_a_lazy_bean_and_of_a_child_context_are_warned_of() {
        assertThat(warnings(
                        disabled()
                                .withInitializer(context -> context.addBeanFactoryPostProcessor(
                                        new org.springframework.boot.LazyInitializationBeanFactoryPostProcessor())),
                        Locked.class))
                .hasSize(1);
        disabled()
                .withBean(Locked.class)
                .run(parent -> assertThat(warnings(disabled().withParent(parent), Leader.class))
                        .singleElement()
                        .asString()
                        .endsWith(": [" + NAME + "$Leader]"));
    }

    static class First {
        @OnOneInstance(name = "report", minHold = "1m")
        public void daily() {}

        @DistributedLock(name = "other", waitFor = 0, minHold = 60, onContention = OnContention.SKIP)
        public void other() {}
    }

    static class Second {
        @OnOneInstance(name = "${job:report}", minHold = "2m")
        public void weekly() {}
    }

    @Test
    void jobs_of_one_name_are_warned_of() {
        assertThat(warnings(Runners.inMemory(), First.class, Second.class))
                .containsExactly("Two jobs have the name 'report', so one excludes the other, unless it is renamed:"
                        + " @OnOneInstance method " + NAME + "$First.daily(), @OnOneInstance method " + NAME
                        + "$Second.weekly()");
    }

    static class Different {
        @OnOneInstance(name = "other", minHold = "1m")
        public void job() {}

        @DistributedLock(name = "other")
        public void waiting() {}

        @DistributedLock(name = "other", key = "#p0", onContention = OnContention.SKIP, minHold = 60)
        public void ofEach(String key) {}
    }

    @Test
    void other_locks_of_that_name_and_the_same_job_are_not_warned_of() {
        assertThat(warnings(Runners.inMemory()
                        .withBean(
                                "one",
                                Different.class,
                                Different::new,
                                it -> it.setScope(BeanDefinition.SCOPE_PROTOTYPE))
                        .withBean("two", Different.class)))
                .isEmpty();
    }

    static class Mail {
        @DistributedSemaphore(name = "gateway", permits = 5)
        public void send() {}

        @DistributedSemaphore(name = "other", permits = 5)
        public void other() {}

        @DistributedReadLock(name = "gateway")
        public void read() {}
    }

    static class Push {
        @DistributedLock(name = "mine")
        @DistributedLock(name = "gateway", mode = LockMode.SHARED, limit = 3)
        public void send() {}

        @DistributedSemaphore(name = "other", permits = 5)
        public void other() {}
    }

    @Test
    void semaphores_of_one_name_with_different_permits_are_warned_of() {
        assertThat(warnings(Runners.inMemory(), Mail.class, Push.class))
                .containsExactly(
                        "Semaphore 'gateway' has 5 permits in one annotation and 3 in another; set the same number");
    }

    static class Forged {
        @DistributedSemaphore(name = "two\u202elines", permits = 5)
        @OnOneInstance(name = "two\u202elines", minHold = "1m")
        public void first() {}

        @DistributedSemaphore(name = "two\u202elines", permits = 3)
        public void second() {}

        @OnOneInstance(name = "two\u202elines", minHold = "1m")
        public void third() {}
    }

    @Test
    void names_do_not_forge_lines() {
        assertThat(warnings(Runners.inMemory(), Forged.class))
                .hasSize(2)
                .allMatch(line -> line.contains("'two\\u202elines'"), "escaped");
    }

    static class Orders {
        @DistributedLock(key = "#p0")
        public void pay(long order) {}

        @DistributedReadLock(key = "#p0.toString()")
        public void read(long order) {}
    }

    static class Customers {
        @DistributedLock(keys = "#p0.![#this]")
        public void merge(List<Long> customers) {}
    }

    static class Shops {
        @DistributedLock(name = "shop", key = "#p0")
        public void open(long shop) {}

        @DistributedLock(key = "'shop:' + #p0")
        public void close(long shop) {}

        @DistributedLock(key = "parts('shop', #p0)")
        public void move(long shop) {}

        @DistributedLock(keys = "{'shop:' + #p0, 'shop:' + #p1}")
        public void join(long shop, long other) {}

        @DistributedLock(name = "closing")
        public void closeAll() {}
    }

    @Test
    void keys_without_a_name_in_two_classes_are_warned_of_once() {
        assertThat(warnings(Runners.inMemory(), Orders.class, Shops.class, Customers.class))
                .containsExactly(
                        "Lock annotations in several classes have a key, but no name, so order 42 and customer 42"
                                + " are one lock: [Customers.merge, Orders.pay, Orders.read]. Set a different name for each kind of resource,"
                                + " such as name = \"order\"");
    }

    @Test
    void keys_with_a_name_or_literal_text_and_those_of_one_class_are_silent() {
        assertThat(warnings(Runners.inMemory(), Orders.class, Shops.class)).isEmpty();
    }
}
