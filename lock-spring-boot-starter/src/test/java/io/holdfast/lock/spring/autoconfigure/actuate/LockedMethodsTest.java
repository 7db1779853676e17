package io.holdfast.lock.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Definition;
import io.holdfast.lock.spring.definition.LockOperationSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Annotated methods are found also where a bean's class is known late. */
class LockedMethodsTest {

    interface Job {
        void run();
    }

    static class LockedJob implements Job {

        @Override
        @DistributedLock(name = "job")
        public void run() {}
    }

    /** Knows the class of its product when that is made. */
    static class SecretiveFactory implements FactoryBean<Object> {

        private @Nullable Object product;

        @Override
        public Object getObject() {
            product = new LockedJob();
            return product;
        }

        @Override
        @SuppressWarnings("NullAway") // null is allowed
        public @Nullable Class<?> getObjectType() {
            return product == null ? null : product.getClass();
        }
    }

    static class Jobs {

        @Bean
        static SecretiveFactory made() {
            return new SecretiveFactory();
        }

        @Bean
        @Lazy
        static Job declaredByItsInterface() {
            return new LockedJob();
        }
    }

    private static List<Definition> methods(AssertableApplicationContext context) {
        return LockedMethods.of(
                context.getSourceApplicationContext(org.springframework.context.ConfigurableApplicationContext.class)
                        .getBeanFactory(),
                context.getBean(LockOperationSource.class));
    }

    private static void isFoundWhenItIsThere(String bean) {
        Runners.inMemory().withUserConfiguration(Jobs.class).run(context -> {
            assertThat(methods(context)).isEmpty();
            context.getBean(bean);
            assertThat(methods(context)).extracting(Definition::bean).containsExactly(bean);
        });
    }

    @Test
    void product_of_a_factory_that_tells_its_type_late() {
        isFoundWhenItIsThere("made");
    }

    @Test
    void lazy_bean_that_is_declared_by_its_interface() {
        isFoundWhenItIsThere("declaredByItsInterface");
    }
}
