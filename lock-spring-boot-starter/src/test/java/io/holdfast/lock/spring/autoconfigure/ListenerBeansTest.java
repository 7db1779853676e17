package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Beans that are listeners are found at the first event, and made for it if need be. */
class ListenerBeansTest {

    private static final List<LockEvent> EVENTS = new ArrayList<>();

    static class ListenerFactory implements FactoryBean<LockListener> {

        @Override
        public LockListener getObject() {
            return EVENTS::add;
        }

        @Override
        public Class<?> getObjectType() {
            return LockListener.class;
        }
    }

    static class Made {

        @Bean
        @Lazy
        static ListenerFactory listener() {
            return new ListenerFactory();
        }
    }

    static class Lately {

        @Bean
        @Lazy
        static LockListener listener() {
            return EVENTS::add;
        }
    }

    private static void isNotified(Class<?> configuration) {
        EVENTS.clear();
        Runners.inMemory().withUserConfiguration(configuration).run(context -> {
            context.getBean(LockTemplate.class).acquire("listeners").close();
            assertThat(EVENTS).hasExactlyElementsOfTypes(LockEvent.Acquired.class, LockEvent.Released.class);
        });
    }

    @Test
    void lazy_product_of_a_factory_is_told() {
        isNotified(Made.class);
    }

    @Test
    void lazy_bean_is_told() {
        isNotified(Lately.class);
    }
}
