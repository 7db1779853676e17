package io.holdfast.lock.spring.aop.overridden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

/** Locked beans that a test replaces need no proxy; the others do. */
class BeanOverridesTest {

    private static final String REGISTRY =
            "org.springframework.test.context.bean.override.internalBeanOverrideRegistry";

    static class Declared {
        @DistributedLock(key = "'declared'")
        public String run() {
            return "ran";
        }
    }

    static class Imported {

        private final LockTemplate locks;

        Imported(LockTemplate locks) {
            this.locks = locks;
        }

        @DistributedLock(key = "'imported'")
        public boolean isLocked() {
            return !locks.inspect("imported").holders().isEmpty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @ComponentScan(
            useDefaultFilters = false,
            includeFilters = @Filter(type = FilterType.ASSIGNABLE_TYPE, classes = Scanned.class))
    @Import(Imported.class)
    static class Application {
        @Bean
        Declared declared() {
            return new Declared();
        }
    }

    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @SpringBootTest(
            classes = Application.class,
            webEnvironment = WebEnvironment.NONE,
            properties = "holdfast.store=in-memory")
    @interface ApplicationTest {}

    @Nested
    @ApplicationTest
    class WithMocks {

        @MockitoBean
        Scanned scanned;

        @MockitoBean
        Declared declared;

        @Autowired
        Imported imported;

        @Test
        void mocks_need_no_lock_and_other_beans_are_locked() {
            assertThat(scanned.run()).isNull();
            assertThat(declared.run()).isNull();
            assertThat(imported.isLocked()).isTrue();
        }
    }

    @Nested
    @ApplicationTest
    @MockitoBean(types = Scanned.class)
    class WithAMockOfTheClass {
        @Test
        void mock_needs_no_lock(@Autowired Scanned scanned) {
            assertThat(scanned.run()).isNull();
        }
    }

    @Nested
    @ApplicationTest
    class WithADoubleOfItsOwn {

        @TestBean
        Scanned scanned;

        static Scanned scanned() {
            return new Scanned();
        }

        @Test
        void double_needs_no_lock() {
            assertThat(scanned.run()).isEqualTo("ran");
        }
    }

    @Nested
    @ApplicationTest
    class WithASpy {

        @MockitoSpyBean
        Imported imported;

        @Test
        void spy_is_locked() {
            assertThat(imported.isLocked()).isTrue();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithAMockAsABean {
        @Bean
        Declared declared(LockTemplate locks) {
            Declared mock = mock(Declared.class);
            when(mock.run())
                    .then(call ->
                            "locked by " + locks.inspect("declared").holders().size());
            return mock;
        }
    }

    @Nested
    @SpringBootTest(
            classes = WithAMockAsABean.class,
            webEnvironment = WebEnvironment.NONE,
            properties = "holdfast.store=in-memory")
    class WithAMockFromABeanMethod {
        @Test
        void mock_is_locked(@Autowired Declared declared) {
            assertThat(declared.run()).isEqualTo("locked by 1");
        }
    }

    @Test
    void instance_that_replaces_no_bean_is_refused_beside_mocks_too() {
        var application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties("holdfast.store=in-memory")
                .initializers(context -> {
                    context.getBeanFactory().registerSingleton(REGISTRY, "overrides of this test");
                    context.getBeanFactory().registerSingleton("selfMade", new Declared());
                });
        assertThatThrownBy(application::run).hasMessageContaining("'selfMade'");
    }
}
