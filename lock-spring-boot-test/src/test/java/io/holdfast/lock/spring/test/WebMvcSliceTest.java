package io.holdfast.lock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.annotation.DistributedLock;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.webmvc.test.autoconfigure.AutoConfigureMockMvc;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Controllers with annotated methods, and annotated services, in tests of the web layer. */
@Timeout(60)
class WebMvcSliceTest {

    static class Orders {

        @DistributedLock(key = "'order:' + #id")
        public String pay(int id) {
            return "paid " + id;
        }
    }

    @RestController
    static class OrderController {

        private final Orders orders;

        OrderController(Orders orders) {
            this.orders = orders;
        }

        @GetMapping("/service/{id}")
        public String byService(@PathVariable int id) {
            return orders.pay(id);
        }

        @GetMapping("/controller/{id}")
        @DistributedLock(key = "'order:' + #id")
        public String byController(@PathVariable int id) {
            return "done " + id;
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import({Orders.class, OrderController.class})
    static class Shop {}

    @Nested
    @WebMvcTest
    @ContextConfiguration(classes = Shop.class)
    class WithoutMore {

        @Autowired
        MockMvcTester mvc;

        @Autowired
        OrderController controller;

        @Test
        void annotated_methods_fail_instead_of_running_unlocked() {
            assertThat(AopUtils.isAopProxy(controller)).isTrue();
            assertThat(mvc.get().uri("/service/42"))
                    .hasFailed()
                    .failure()
                    .rootCause()
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining(
                            "Spring Data Redis. Add @AutoConfigureTestLocks (from lock-spring-boot-test) to the test");
            assertThat(mvc.get().uri("/controller/42"))
                    .hasFailed()
                    .failure()
                    .rootCause()
                    .isInstanceOf(LockConfigurationException.class);
        }
    }

    @Nested
    @WebMvcTest
    @ContextConfiguration(classes = Shop.class)
    class WithAMock {

        @Autowired
        MockMvcTester mvc;

        @MockitoBean
        Orders orders;

        @Test
        void mock_needs_no_lock() {
            org.mockito.Mockito.when(orders.pay(42)).thenReturn("mocked");
            assertThat(mvc.get().uri("/service/42")).hasStatusOk().hasBodyTextEqualTo("mocked");
        }
    }

    @Nested
    @WebMvcTest
    @ContextConfiguration(classes = Shop.class)
    @AutoConfigureTestLocks
    class WithTestLocks {

        @Autowired
        MockMvcTester mvc;

        @Autowired
        TestLocks testLocks;

        @Test
        void annotated_methods_run_under_their_locks() {
            assertThat(mvc.get().uri("/service/42")).hasStatusOk().hasBodyTextEqualTo("paid 42");
            assertThat(mvc.get().uri("/controller/42")).hasStatusOk().hasBodyTextEqualTo("done 42");
        }

        @Test
        void contention_can_be_played() {
            try (var elsewhere = testLocks.holdElsewhere("order:42")) {
                assertThat(mvc.get().uri("/controller/42"))
                        .hasFailed()
                        .failure()
                        .rootCause()
                        .isInstanceOf(LockNotAcquiredException.class);
                assertThat(mvc.get().uri("/controller/43")).hasStatusOk();
            }
        }
    }

    @Nested
    @WebMvcTest(controllers = OrderController.class, properties = "holdfast.problem-details.enabled=true")
    @ContextConfiguration(classes = Shop.class)
    @AutoConfigureTestLocks
    class WithProblemDetails {

        @Autowired
        MockMvcTester mvc;

        @Autowired
        TestLocks testLocks;

        @Test
        void contention_is_a_conflict() {
            try (var elsewhere = testLocks.holdElsewhere("order:42")) {
                assertThat(mvc.get().uri("/controller/42"))
                        .hasStatus(HttpStatus.CONFLICT)
                        .hasHeader("Retry-After", "1");
            }
            assertThat(mvc.get().uri("/controller/42")).hasStatusOk();
        }

        @Test
        void store_that_fails_is_an_unavailable_service() {
            try (var outage = testLocks.failStore()) {
                assertThat(mvc.get().uri("/controller/42")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
            }
        }
    }

    @Nested
    @WebMvcTest(properties = "holdfast.problem-details.enabled=true")
    @ContextConfiguration(classes = Shop.class)
    class WithProblemDetailsAndAMock {

        @Autowired
        MockMvcTester mvc;

        @MockitoBean
        Orders orders;

        @Test
        void contention_is_a_conflict() {
            org.mockito.Mockito.when(orders.pay(42)).thenThrow(TestLocks.notAcquired("order:42"));
            assertThat(mvc.get().uri("/service/42")).hasStatus(HttpStatus.CONFLICT);
        }
    }

    @Nested
    @SpringBootTest(classes = Shop.class)
    @AutoConfigureMockMvc
    @AutoConfigureTestLocks
    class WholeApplication {

        @Test
        void annotated_methods_run_under_their_locks(@Autowired MockMvcTester mvc, @Autowired TestLocks testLocks) {
            assertThat(mvc.get().uri("/service/42")).hasStatusOk();
            testLocks.holdElsewhere("order:42");
            assertThat(mvc.get().uri("/service/42")).hasFailed();
        }
    }
}
