package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.annotation.LockAssert;
import jakarta.annotation.PostConstruct;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** A bean that is needed before it is complete would be seen without its proxy, by those that call its methods later. */
class CircularReferenceTest {

    static class ScheduledSelf {
        @Autowired
        @Nullable
        ScheduledSelf self;

        @Scheduled(fixedRate = 1_000_000)
        @DistributedLock(name = "self")
        public void run() {}
    }

    static class ListeningSelf {
        @Autowired
        @Nullable
        ListeningSelf self;

        @EventListener(ContextRefreshedEvent.class)
        @DistributedLock(name = "self")
        public void run() {}
    }

    static class AsyncSelf {
        @Autowired
        @Nullable
        AsyncSelf self;

        @Async
        @DistributedLock(name = "self")
        public void run() {}
    }

    static class SelfOfTheContainer {
        @Autowired
        @Nullable
        BeanFactory beans;

        @PostConstruct
        void init() {
            try {
                beans.getBean(SelfOfTheContainer.class);
            } catch (RuntimeException ignored) {
                // on purpose
            }
        }

        @DistributedLock(name = "self")
        public void run() {}
    }

    static class One {
        @Autowired
        @Nullable
        Other other;

        @DistributedLock(name = "one")
        public void run() {}
    }

    static class Other {
        @Autowired
        @Nullable
        One one;

        @DistributedLock(name = "other")
        public void run() {}
    }

    static class Product {
        @DistributedLock(name = "product")
        public void run() {}
    }

    static class Factory implements FactoryBean<Product> {
        @Autowired
        @Nullable
        ProductUser user;

        @Override
        public Product getObject() {
            return new Product();
        }

        @Override
        public Class<?> getObjectType() {
            return Product.class;
        }
    }

    static class ProductUser {
        @Autowired
        @Nullable
        Product product;
    }

    static class LeadingSelf {
        @Autowired
        @Nullable
        LeadingSelf self;

        @LeaderOnly("reports")
        public void run() {}
    }

    static class LazySelf {
        @Autowired
        @Lazy
        @Nullable
        LazySelf self;

        public void runOnItself() {
            self.run();
        }

        @DistributedLock(name = "lazy")
        public void run() {
            LockAssert.assertLocked();
        }
    }

    static class SelfByProvider {
        @Autowired
        @Nullable
        ObjectProvider<SelfByProvider> self;

        @DistributedLock(name = "provided")
        public void run() {
            LockAssert.assertLocked();
        }
    }

    static class UnlockedSelf {
        @Autowired
        @Nullable
        UnlockedSelf self;

        public void run() {}
    }

    /** Keeps the beans that it is passed, as those do that register the methods of message listeners. */
    static class Listeners implements BeanPostProcessor, Ordered {

        final List<Object> seen = new ArrayList<>();

        @Override
        public int getOrder() {
            return 0;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (name.equals("bean")) {
                seen.add(bean);
            }
            return bean;
        }
    }

    @EnableScheduling
    @EnableAsync
    static class Enabled {}

    private final Listeners listeners = new Listeners();

    private final ApplicationContextRunner runner = Runners.inMemory()
            .withAllowCircularReferences(true)
            .withUserConfiguration(Enabled.class)
            .withBean(Listeners.class, () -> listeners);

    @ParameterizedTest
    @ValueSource(classes = {ScheduledSelf.class, ListeningSelf.class, AsyncSelf.class, SelfOfTheContainer.class})
    void bean_that_needs_itself_fails_startup_before_others_see_it(Class<?> type) {
        runner.withBean("bean", type)
                .run(context -> assertThat(Startup.failureOf(context))
                        .isEqualTo("@DistributedLock method " + type.getName()
                                + ".run() would run without its lock: bean 'bean'"
                                + " is part of a circular reference. Spring passes such a bean without its proxy to the"
                                + " BeanPostProcessors that register scheduled methods and message listeners.\n"
                                + "Add @Lazy to an injection point of the circle (in a bean that injects itself, to that field or"
                                + " parameter), or remove the circular reference."));
        assertThat(listeners.seen).isEmpty();
    }

    @Test
    void beans_that_need_each_other_fail_startup() {
        runner.withBean("bean", One.class)
                .withBean(Other.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("One.run() would run without its lock: bean 'bean'", "Add @Lazy"));
        assertThat(listeners.seen).isEmpty();
    }

    @Test
    void bean_with_methods_for_the_leader_fails_startup() {
        runner.withBean("bean", LeadingSelf.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("@LeaderOnly method " + LeadingSelf.class.getName()
                                + ".run() would run on every instance: bean 'bean' is part of a circular reference."));
        assertThat(listeners.seen).isEmpty();
    }

    @Test
    void lazy_reference_to_itself_is_locked_for_all() {
        runner.withBean("bean", LazySelf.class).run(context -> {
            LazySelf bean = context.getBean(LazySelf.class);
            bean.run();
            bean.runOnItself();
            ((LazySelf) listeners.seen.get(0)).run();
        });
    }

    @Test
    void reference_by_a_provider_is_locked_for_all() {
        runner.withBean("bean", SelfByProvider.class).run(context -> {
            context.getBean(SelfByProvider.class).run();
            assertThat(listeners.seen).allMatch(AopUtils::isAopProxy);
        });
    }

    @Test
    void product_of_a_factory_that_needs_it_is_locked_for_all() {
        runner.withBean("bean", Factory.class)
                .withBean(ProductUser.class)
                .run(context -> assertThat(List.of(context.getBean(ProductUser.class).product, context.getBean("bean")))
                        .allMatch(AopUtils::isAopProxy));
        assertThat(listeners.seen)
                .filteredOn(each -> !(each instanceof Factory))
                .isNotEmpty()
                .allMatch(AopUtils::isAopProxy);
    }

    @Test
    void bean_without_annotated_methods_may_need_itself() {
        runner.withBean(UnlockedSelf.class).run(context -> assertThat(context).hasNotFailed());
    }
}
