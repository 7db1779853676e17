package io.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizers;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Each transaction manager asks before it commits, wherever it comes from, and keeps what it was told by others. */
@ExtendWith(OutputCaptureExtension.class)
class CheckedManagersTest {

    static class Manager extends AbstractPlatformTransactionManager {
        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    /** Not configurable. */
    static class Bare implements PlatformTransactionManager {
        @Override
        public TransactionStatus getTransaction(TransactionDefinition definition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void commit(TransactionStatus status) {}

        @Override
        public void rollback(TransactionStatus status) {}
    }

    private static final TransactionExecutionListener USERS = new TransactionExecutionListener() {};

    private final ApplicationContextRunner runner = Runners.inMemory();

    private static long checks(Object manager) {
        return ((ConfigurableTransactionManager) manager)
                .getTransactionExecutionListeners().stream()
                        .filter(CommitCheck.class::isInstance)
                        .count();
    }

    private void isChecked(ApplicationContextRunner application) {
        application.run(
                context -> assertThat(checks(context.getBean("manager"))).isOne());
    }

    @Test
    void bean_is_checked_once() {
        isChecked(runner.withBean("manager", Manager.class));
    }

    @Test
    void lazy_bean_is_checked_when_it_is_made() {
        isChecked(runner.withBean("manager", Manager.class, Manager::new, it -> it.setLazyInit(true)));
    }

    @Test
    void bean_of_a_lazy_application_is_checked() {
        isChecked(runner.withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .withBean("manager", Manager.class));
    }

    @Test
    void instance_that_was_registered_is_checked_until_the_application_ends() {
        Manager shared = new Manager();
        shared.addListener(USERS);
        isChecked(runner.withInitializer(context -> context.getBeanFactory().registerSingleton("manager", shared)));
        assertThat(shared.getTransactionExecutionListeners()).containsExactly(USERS);
    }

    @Configuration(proxyBeanMethods = false)
    static class Early {
        @Bean
        static BeanPostProcessor needy(@Qualifier("manager") Object manager) {
            return new BeanPostProcessor() {};
        }
    }

    @Test
    void bean_that_a_post_processor_needs_is_checked() {
        isChecked(runner.withBean("manager", Manager.class).withUserConfiguration(Early.class));
    }

    @Test
    void listeners_of_the_user_stay() {
        Manager manager = new Manager();
        manager.setTransactionExecutionListeners(List.of(USERS));
        runner.withBean("manager", Manager.class, () -> manager).run(context -> {
            assertThat(manager.getTransactionExecutionListeners()).hasSize(2).contains(USERS);
            assertThat(checks(manager)).isOne();
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class LikeBoot {
        @Bean
        Manager manager(TransactionManagerCustomizers customizers) {
            Manager manager = new Manager();
            customizers.customize(manager);
            return manager;
        }

        @Bean
        TransactionExecutionListener listener() {
            return USERS;
        }
    }

    @Test
    void listeners_that_boot_adds_stay() {
        runner.withConfiguration(AutoConfigurations.of(TransactionManagerCustomizationAutoConfiguration.class))
                .withUserConfiguration(LikeBoot.class)
                .run(context -> {
                    Manager manager = context.getBean(Manager.class);
                    assertThat(manager.getTransactionExecutionListeners())
                            .hasSize(2)
                            .contains(USERS);
                    assertThat(checks(manager)).isOne();
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class Replacing {
        @Bean
        Object replaced(Manager manager) {
            manager.setTransactionExecutionListeners(List.of(USERS));
            return new Object();
        }
    }

    @Test
    void listeners_that_are_replaced_while_the_application_starts_are_completed() {
        isChecked(runner.withBean("manager", Manager.class).withUserConfiguration(Replacing.class));
    }

    @Test
    void each_of_several_is_checked() {
        runner.withBean("first", Manager.class)
                .withBean("second", Manager.class)
                .run(context -> assertThat(context.getBeansOfType(Manager.class).values())
                        .hasSize(2)
                        .allMatch(each -> checks(each) == 1));
    }

    /** Wraps managers, as a post-processor of the application may. */
    static class Wrapping implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return !(bean instanceof Manager)
                    ? bean
                    : Proxy.newProxyInstance(
                            getClass().getClassLoader(),
                            new Class<?>[] {PlatformTransactionManager.class},
                            (proxy, method, args) -> method.invoke(bean, args));
        }
    }

    @Test
    void manager_is_checked_inside_of_its_wrapping() {
        Manager manager = new Manager();
        runner.withBean("manager", PlatformTransactionManager.class, () -> manager)
                .withBean(Wrapping.class)
                .run(context -> assertThat(checks(manager)).isOne());
    }

    @Test
    void manager_that_cannot_be_checked_is_warned_of(CapturedOutput output) {
        runner.withBean("bare", Bare.class).run(context -> assertThat(context).hasNotFailed());
        assertThat(output.getOut().split("Transaction manager 'bare' commits without checking", -1))
                .hasSize(2);
    }

    @Test
    void reactive_transactions_are_left_alone() {
        runner.withBean("manager", AbstractReactiveTransactionManager.class, () -> mock())
                .run(context -> verify(context.getBean(AbstractReactiveTransactionManager.class), never())
                        .setTransactionExecutionListeners(any()));
    }

    @Configuration(proxyBeanMethods = false)
    static class LazyTemplate {
        @Bean
        @Lazy
        LockTemplate lockTemplate() {
            throw new IllegalStateException("created without need");
        }
    }

    @Test
    void commit_creates_no_template() {
        Runners.starter()
                .withUserConfiguration(LazyTemplate.class)
                .withBean("manager", Manager.class)
                .run(context -> {
                    Manager manager = context.getBean(Manager.class);
                    manager.commit(manager.getTransaction(TransactionDefinition.withDefaults()));
                    assertThat(checks(manager)).isOne();
                });
    }

    /** Its locks were released when it was closed, and a thread may outlast that. */
    @Test
    void template_that_was_destroyed_is_asked() {
        runner.withBean("manager", Manager.class).run(context -> {
            Manager manager = context.getBean(Manager.class);
            var transaction = manager.getTransaction(TransactionDefinition.withDefaults());
            context.getBean(LockTemplate.class).acquire(LockRequest.of("late"));
            var beans = (DefaultListableBeanFactory) context.getAutowireCapableBeanFactory();
            beans.destroySingleton(context.getBeanNamesForType(LockTemplate.class)[0]);
            assertThatThrownBy(() -> manager.commit(transaction)).isInstanceOf(LockException.class);
        });
    }

    @Test
    void bean_that_is_null_is_passed_over() {
        runner.withBean("manager", PlatformTransactionManager.class, () -> null)
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static void commitUnderALostLockFails(ApplicationContextRunner parents) {
        parents.run(parent -> Runners.starter()
                .withParent(parent)
                .withBean("manager", Manager.class)
                .run(context -> {
                    LockTemplate locks = parent.getBean(LockTemplate.class);
                    Manager manager = context.getBean(Manager.class);
                    var transaction = manager.getTransaction(TransactionDefinition.withDefaults());
                    var handle = locks.acquire(LockRequest.of("parents").renew(false));
                    locks.forceRelease("parents");
                    assertThatThrownBy(() -> handle.extend(Duration.ofMinutes(1)))
                            .isInstanceOf(LockLostException.class);
                    assertThatThrownBy(() -> manager.commit(transaction)).isInstanceOf(LockLostException.class);
                }));
    }

    @Test
    void template_of_the_parent_application_is_asked() {
        commitUnderALostLockFails(Runners.inMemory());
    }

    @Test
    void template_that_the_parent_application_makes_late_is_asked() {
        commitUnderALostLockFails(Runners.inMemory()
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor())));
    }
}
