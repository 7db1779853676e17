package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.Blockage;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.WebApplication;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.StoreSpy;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** What a web client is told when a lock is not free. */
class ProblemDetailsTest {

    @Configuration(proxyBeanMethods = false)
    static class Shop {

        @Bean
        InMemoryLockStore store() {
            return new InMemoryLockStore();
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    @RestController
    static class Orders {

        @GetMapping("/orders/{id}")
        @DistributedLock(name = "order", key = "#id", waitFor = 0)
        public String pay(@PathVariable("id") String id) {
            return "paid " + id;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ShopWithHandler extends Shop {

        @ControllerAdvice
        static class Handler {

            @ExceptionHandler
            @ResponseStatus(HttpStatus.TOO_MANY_REQUESTS)
            void busy(io.holdfast.lock.api.LockNotAcquiredException contention) {}
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ShopWithoutStore {

        @Bean
        LockStore store() {
            StoreSpy store = new StoreSpy(new InMemoryLockStore());
            store.reachable(false);
            return store;
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    private static HttpResponse<String> whileHeld(Duration lease, Class<?> shop, String... properties) {
        try (WebApplication application = WebApplication.start(shop, properties);
                LockHandle held = application
                        .bean(LockTemplate.class)
                        .acquire(LockRequest.of("order:42").lease(lease))
                        .detach()) {
            assertThat(application.get("/orders/43").body()).isEqualTo("paid 43");
            return application.get("/orders/42");
        }
    }

    @Test
    void contention_is_an_error_of_the_server_unless_wanted_otherwise() {
        assertThat(whileHeld(Duration.ofHours(1), Shop.class).statusCode()).isEqualTo(500);
    }

    @Test
    void contention_is_a_problem_detail_that_says_when_to_try_again() {
        HttpResponse<String> answer =
                whileHeld(Duration.ofHours(1), Shop.class, "holdfast.problem-details.enabled=true");

        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(answer.headers().firstValue("Retry-After")).hasValue("1");
        assertThat(answer.body()).contains("Try again later").doesNotContain("order:42");
    }

    @Test
    void problem_detail_names_the_trace_of_the_holder() {
        String traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
        LockHolder holder = new HolderInfo("shop-1", 1, "main", "00-" + traceId + "-00f067aa0ba902b7-01")
                .holding("client", Instant.EPOCH, Duration.ZERO, 1, LockMode.EXCLUSIVE, false);
        LockProblemDetails details =
                new LockProblemDetails(new LockProperties.ProblemDetails(true, 409, Duration.ofSeconds(1)));

        assertThat(details.notAcquired(new LockNotAcquiredException(
                                null, LockKey.of("order:42"), Duration.ZERO, holder, Blockage.UNKNOWN))
                        .getBody()
                        .getProperties())
                .containsOnly(Map.entry("holderTraceId", traceId));
        assertThat(details.notAcquired(new LockNotAcquiredException(
                                null, LockKey.of("order:42"), Duration.ZERO, null, Blockage.UNKNOWN))
                        .getBody()
                        .getProperties())
                .isNull();
    }

    @Test
    void store_that_fails_is_an_unavailable_service() {
        for (String properties : List.of("true", "false")) {
            try (WebApplication application = WebApplication.start(
                    ShopWithoutStore.class,
                    "holdfast.problem-details.enabled=" + properties,
                    "holdfast.problem-details.retry-after=4001ms")) {
                HttpResponse<String> answer = application.get("/orders/42");
                assertThat(answer.statusCode()).isEqualTo(properties.equals("true") ? 503 : 500);
                if (answer.statusCode() == 503) {
                    assertThat(answer.headers().firstValue("Retry-After")).hasValue("5");
                    assertThat(answer.body()).doesNotContain("Redis").doesNotContain("order:42");
                }
            }
        }
    }

    @Test
    void time_to_try_again_that_cannot_be_ends_the_start() {
        Runners.inMemory()
                .withPropertyValues("holdfast.problem-details.retry-after=-1s")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.problem-details.retry-after", "0s to 1d"));
    }

    @Test
    void status_can_be_chosen() {
        assertThat(whileHeld(
                                Duration.ofHours(1),
                                Shop.class,
                                "holdfast.problem-details.enabled=true",
                                "holdfast.problem-details.status=423")
                        .statusCode())
                .isEqualTo(423);
    }

    @Test
    void handler_of_the_application_comes_first() {
        assertThat(whileHeld(Duration.ofHours(1), ShopWithHandler.class, "holdfast.problem-details.enabled=true")
                        .statusCode())
                .isEqualTo(429);
    }

    @Test
    void application_may_replace_all_handlers() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(LockProblemDetailsAutoConfiguration.class))
                .withPropertyValues("holdfast.problem-details.enabled=true")
                .withBean("holdfastProblemDetails", String.class, () -> "own")
                .run(context -> assertThat(context)
                        .hasBean("holdfastProblemDetails")
                        .doesNotHaveBean(LockProblemDetails.class));
    }

    @Test
    void status_that_is_no_error_of_the_client_ends_the_start() {
        Runners.inMemory()
                .withPropertyValues("holdfast.problem-details.status=200")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.problem-details.status", "400 to 599"));
    }
}
