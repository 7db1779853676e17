package io.holdfast.lock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import reactor.core.publisher.Mono;

/** Tests of applications put something else in the place of the template. */
class TemplateDoublesTest {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    static class Service {

        @DistributedLock(key = "'doubles'")
        public String locked() {
            return "done";
        }

        @DistributedLock(key = "'doubles'")
        public Mono<String> lockedMono() {
            return Mono.just("done");
        }

        @DistributedLock(key = "'doubles'")
        public CompletableFuture<String> lockedFuture() {
            return CompletableFuture.completedFuture("done");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Service.class)
    static class Application {}

    @Nested
    @SpringBootTest(classes = Application.class, properties = "holdfast.store=in-memory")
    class OwnDouble {

        @TestBean
        private LockTemplate template;

        @Autowired
        private Service service;

        static LockTemplate template() {
            return (LockTemplate) Proxy.newProxyInstance(
                    LockTemplate.class.getClassLoader(),
                    new Class<?>[] {LockTemplate.class},
                    (proxy, method, args) -> null);
        }

        @Test
        void application_starts_and_is_told_what_the_double_should_answer() {
            assertThatThrownBy(service::locked).hasMessageContaining("acquire");
            assertThatThrownBy(() -> service.lockedMono().block(PATIENCE)).hasMessageContaining("executeAsync");
            assertThatThrownBy(() -> service.lockedFuture().join()).hasMessageContaining("acquire");
        }
    }

    @Nested
    @SpringBootTest(classes = Application.class, properties = "holdfast.store=in-memory")
    class MockitoDouble {

        @MockitoBean
        private LockTemplate template;

        @Autowired
        private Service service;

        @Test
        void application_starts_and_is_told_what_the_double_should_answer() {
            assertThat(service).isNotNull();
            assertThatThrownBy(service::locked).hasMessageContaining("acquire");
            assertThatThrownBy(() -> service.lockedMono().block(PATIENCE)).hasMessageContaining("executeAsync");
            assertThatThrownBy(() -> service.lockedFuture().join()).hasMessageContaining("acquire");
        }

        @Test
        void double_of_a_handle_needs_no_answers() throws Exception {
            when(template.acquire(any(LockRequest.class))).thenReturn(mock(LockHandle.class));
            assertThat(service.locked()).isEqualTo("done");
            assertThat(service.lockedFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo("done");
        }
    }
}
