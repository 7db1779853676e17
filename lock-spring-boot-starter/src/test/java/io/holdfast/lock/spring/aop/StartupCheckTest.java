package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.aop.overridden.OtherPackage;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.config.BeanDefinitionHolder;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.context.support.SimpleThreadScope;

@ExtendWith(OutputCaptureExtension.class)
class StartupCheckTest {

    static class Good {
        @DistributedLock(key = "'good'")
        public String run() {
            return "ran";
        }
    }

    static class PrivateMethod {
        @SuppressWarnings("UnusedMethod")
        @DistributedLock(key = "'x'")
        private void run() {}
    }

    static class StaticMethod {
        @DistributedLock(key = "'x'")
        public static void run() {}
    }

    static class FinalMethod {
        @DistributedLock(key = "'x'")
        public final void run() {}
    }

    static final class FinalClass {
        @DistributedLock(key = "'x'")
        public void run() {}
    }

    static class FinalBehindAnInterface implements Runnable {
        @Override
        @DistributedLock(key = "'x'")
        public final void run() {}
    }

    @Proxyable(ProxyType.INTERFACES)
    static final class ProxiedByItsInterface implements Runnable {
        @Override
        @DistributedLock(key = "'x'")
        public void run() {}
    }

    static final class FinalService implements Runnable {
        @Override
        @DistributedLock(key = "'x'")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        @Proxyable(ProxyType.INTERFACES)
        FinalService service() {
            return new FinalService();
        }
    }

    /** Needs a locked bean, so that one is created before there is a proxy creator. */
    static class EarlyBird implements BeanPostProcessor, org.springframework.core.PriorityOrdered {
        EarlyBird(Good needed) {}

        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }
    }

    private final ApplicationContextRunner runner = Runners.inMemory();

    private void failsWith(Class<?> bean, String... texts) {
        runner.withBean(bean)
                .run(context -> assertThat(Startup.failureOf(context)).contains(texts));
    }

    private static void registerLazy(GenericApplicationContext context, Class<?> type) {
        RootBeanDefinition definition = new RootBeanDefinition(type);
        definition.setLazyInit(true);
        context.registerBeanDefinition("lazy", definition);
    }

    @Test
    void private_method_fails_startup() {
        failsWith(PrivateMethod.class, "PrivateMethod.run()", "the method is private");
    }

    @Test
    void static_method_fails_startup() {
        failsWith(StaticMethod.class, "StaticMethod.run()", "the method is static");
    }

    @Test
    void final_method_fails_startup() {
        failsWith(FinalMethod.class, "FinalMethod.run()", "the method is final");
    }

    /** Whether such a bean gets a class proxy is known too late where it is made for each use. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void final_method_fails_startup_also_behind_an_interface(boolean classProxies) {
        runner.withPropertyValues("spring.aop.proxy-target-class=" + classProxies)
                .withBean(
                        "behind",
                        FinalBehindAnInterface.class,
                        FinalBehindAnInterface::new,
                        it -> it.setScope("prototype"))
                .run(context -> assertThat(Startup.failureOf(context)).contains("the method is final", "Remove final"));
    }

    record Recorded() {
        @DistributedLock(key = "'x'")
        public void run() {}
    }

    static final class FinalWithAnotherInterface implements java.io.Serializable {
        private static final long serialVersionUID = 1L;

        @DistributedLock(key = "'x'")
        public void run() {}
    }

    @DistributedLock(key = "'x'")
    static final class FinalOfClass {
        public void run() {}
    }

    @ParameterizedTest
    @ValueSource(classes = {FinalClass.class, Recorded.class, FinalWithAnotherInterface.class, FinalOfClass.class})
    void final_class_fails_startup(Class<?> bean) {
        failsWith(
                bean,
                "@DistributedLock method " + bean.getName() + ".run() cannot be proxied: the class is final.\n"
                        + "Remove final; a record is always final, use a class.");
    }

    static final class FinalConsumer implements java.util.function.Consumer<String> {
        @Override
        @DistributedLock(key = "#value")
        public void accept(String value) {}
    }

    @Test
    void final_class_starts_if_only_its_interface_is_proxied_also_a_generic_one() {
        runner.withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(FinalConsumer.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @DistributedLock(key = "'x'")
    record RecordOfClass() implements Runnable {
        @Override
        public void run() {}
    }

    @ParameterizedTest
    @ValueSource(classes = {FinalService.class, RecordOfClass.class, FinalConsumer.class})
    void class_proxy_of_a_final_class_with_an_interface_fails_startup(Class<?> bean) {
        failsWith(
                bean,
                bean.getName(),
                "cannot be proxied: the class is final.\nRemove final; a record is always final, use a class.");
    }

    @FunctionalInterface
    interface LockedTask {
        @DistributedLock(key = "'x'")
        void run();
    }

    @Test
    void function_gets_a_proxy_of_its_interface() {
        runner.withBean(LockedTask.class, () -> () -> {}).run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(LockedTask.class).run();
        });
    }

    static class Inherits extends OtherPackage {}

    @Test
    void package_private_method_of_another_package_fails_startup() {
        failsWith(Inherits.class, "Inherits.run()", "the method is package-private and in another package");
    }

    static class PostConstructed {
        @PostConstruct
        @DistributedLock(key = "'x'")
        public void warm() {}
    }

    static class PreDestroyed {
        @PreDestroy
        @OnOneInstance(name = "x", minHold = "1s")
        public void warm() {}
    }

    static class Initializing implements InitializingBean {
        @Override
        @DistributedLock(key = "'x'")
        public void afterPropertiesSet() {}
    }

    static class Disposable implements DisposableBean {
        @Override
        @DistributedLock(key = "'x'")
        public void destroy() {}
    }

    @ParameterizedTest
    @ValueSource(classes = {PostConstructed.class, PreDestroyed.class, Initializing.class, Disposable.class})
    void method_that_spring_calls_on_the_bean_itself_fails_startup(Class<?> bean) {
        failsWith(bean, "Spring calls it on the bean itself", "ApplicationRunner");
    }

    @DistributedLock(key = "'good'")
    static class OfClass extends Good implements DisposableBean {
        @Override
        public void destroy() {}
    }

    @Test
    void annotation_of_a_class_means_other_methods_than_those_that_spring_calls() {
        runner.withBean(OfClass.class).run(context -> assertThat(context).hasNotFailed());
    }

    @DistributedLock(key = "'x'")
    static class NothingPublic {
        void run() {}

        protected void walk() {}
    }

    @Test
    void annotation_of_a_class_without_public_methods_fails_startup() {
        failsWith(NothingPublic.class, "NothingPublic has no effect", "Make the methods public");
    }

    @ParameterizedTest
    @ValueSource(classes = {ProxiedByItsInterface.class, Beans.class})
    void final_class_is_locked_where_the_bean_says_that_its_interface_is_proxied(Class<?> configuration) {
        runner.withUserConfiguration(configuration).run(context -> {
            Runnable bean = context.getBean(Runnable.class);
            assertThat(AopUtils.isJdkDynamicProxy(bean)).isTrue();
            bean.run();
        });
    }

    @Test
    void lazy_bean_is_checked_by_its_type() {
        runner.withInitializer(context -> registerLazy((GenericApplicationContext) context, FinalMethod.class))
                .run(context -> assertThat(Startup.failureOf(context)).contains("FinalMethod.run()"));
    }

    @Test
    void lazy_bean_is_not_created() {
        runner.withInitializer(context -> registerLazy((GenericApplicationContext) context, Good.class))
                .run(context -> assertThat(context.getBeanFactory().containsSingleton("lazy"))
                        .isFalse());
    }

    @Test
    void all_beans_lazy_still_fails_startup() {
        runner.withInitializer(context -> context.addBeanFactoryPostProcessor(
                        new org.springframework.boot.LazyInitializationBeanFactoryPostProcessor()))
                .withBean(FinalMethod.class)
                .run(context -> assertThat(Startup.failureOf(context)).contains("FinalMethod.run()"));
    }

    @Test
    void registered_instance_fails_startup() {
        runner.withInitializer(context -> context.getBeanFactory().registerSingleton("self-made", new Good()))
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("would run without its lock", "'self-made'", "Good.run()"));
    }

    @Test
    void bean_that_was_created_too_early_fails_startup() {
        runner.withBean("good", Good.class)
                .withInitializer(context -> registerEarlyBird((GenericApplicationContext) context))
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("would run without its lock", "'good'", "BeanPostProcessor"));
    }

    private static void registerEarlyBird(GenericApplicationContext context) {
        RootBeanDefinition definition = new RootBeanDefinition(EarlyBird.class);
        definition.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
        context.registerBeanDefinition("earlyBird", definition);
    }

    @Test
    void registered_mock_fails_startup_with_advice_to_replace_the_bean() {
        runner.withInitializer(context -> context.getBeanFactory().registerSingleton("mock", Mockito.mock(Good.class)))
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("would run without its lock", "'mock'", "@MockitoBean or @TestBean"));
    }

    @Test
    void scoped_proxy_is_locked() {
        runner.withInitializer(context -> registerScoped((GenericApplicationContext) context))
                .run(context -> {
                    Good bean = context.getBean("scoped", Good.class);
                    assertThat(bean.run()).isEqualTo("ran");
                    assertThat(context.getBean("scopedTarget.scoped"))
                            .isInstanceOfSatisfying(
                                    org.springframework.aop.framework.Advised.class,
                                    proxy -> assertThat(proxy.getAdvisors())
                                            .hasAtLeastOneElementOfType(LockAdvisor.class));
                });
    }

    private static void registerScoped(GenericApplicationContext context) {
        context.getBeanFactory().registerScope("thread", new SimpleThreadScope());
        RootBeanDefinition definition = new RootBeanDefinition(Good.class);
        definition.setScope("thread");
        BeanDefinitionHolder proxy =
                ScopedProxyUtils.createScopedProxy(new BeanDefinitionHolder(definition, "scoped"), context, true);
        context.registerBeanDefinition(proxy.getBeanName(), proxy.getBeanDefinition());
    }

    static class Farewell implements SmartLifecycle {

        private static String result = "";
        private final Good good;

        Farewell(Good good) {
            this.good = good;
        }

        @Override
        public void start() {}

        @Override
        public void stop() {
            result = good.run();
        }

        @Override
        public boolean isRunning() {
            return true;
        }
    }

    @Test
    void locked_methods_work_while_lifecycle_beans_stop() {
        runner.withBean(Good.class).withBean(Farewell.class).run(context -> Farewell.result = "");

        assertThat(Farewell.result).isEqualTo("ran");
    }

    static class EarlyEnd implements DisposableBean {

        private static String result = "";
        private final Good good;

        EarlyEnd(Good good) {
            this.good = good;
        }

        @Override
        public void destroy() {
            result = good.run();
        }
    }

    private ApplicationContextRunner failingStart() {
        return runner.withInitializer(context -> context.addApplicationListener(event -> {
            if (event instanceof ContextRefreshedEvent) {
                throw new IllegalStateException("on purpose");
            }
        }));
    }

    static class Parting implements Runnable {
        @Override
        @DistributedLock(name = "parting")
        public void run() {
            EarlyEnd.result = "parted";
        }
    }

    static class LateCall implements DisposableBean {

        private final Runnable parting;

        LateCall(Runnable parting) {
            this.parting = parting;
        }

        @Override
        public void destroy() {
            parting.run();
        }
    }

    /** A proxy by interfaces asks for its interceptor no sooner, and then Spring makes no bean any more. */
    @Test
    void first_call_of_a_locked_method_may_come_when_beans_are_destroyed() {
        EarlyEnd.result = "";
        failingStart()
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(Parting.class)
                .withBean(LateCall.class)
                .run(context -> assertThat(context).hasFailed());

        assertThat(EarlyEnd.result).isEqualTo("parted");
    }

    /** Nothing was started, so nothing is stopped in order, and what was made is destroyed. */
    @Test
    void locked_methods_work_until_their_beans_are_destroyed_if_the_start_fails() {
        EarlyEnd.result = "";
        failingStart()
                .withBean(Good.class)
                .withBean(EarlyEnd.class)
                .run(context -> assertThat(context).hasFailed());

        assertThat(EarlyEnd.result).isEqualTo("ran");
    }
}
