package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.ReducedClassPath;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.util.ClassUtils;

/** Applications that lack what others have. */
@Timeout(60)
class AbsentLibrariesTest {

    private static final String PORT = "holdfast.test.port";

    /** What only comes with an application's own dependencies, or with the tests of this module. */
    private static final String[] NOT_OF_THE_STARTER = {
        "spring-integration",
        "spring-test",
        "spring-boot-test",
        "spring-boot-webmvc",
        "spring-boot-jdbc",
        "spring-boot-data",
        "spring-boot-testcontainers",
        "spring-boot-docker-compose",
        "testcontainers-",
        "spring-boot-transaction",
        "spring-boot-actuator",
        "spring-boot-starter-actuator",
        "spring-boot-health",
        "spring-boot-micrometer",
        "spring-webmvc",
        "spring-web-",
        "aspectjweaver",
        "spring-boot-starter-aspectj",
        "spring-jdbc",
        "micrometer-core",
        "micrometer-tracing",
        "prometheus-",
        "micrometer-registry",
        "reactor-",
        "reactive-streams",
        "lettuce-core",
        "netty-",
        "mockito"
    };

    public static class Service {

        private final LockTemplate locks;

        public Service(LockTemplate locks) {
            this.locks = locks;
        }

        @DistributedLock(key = "'absent'")
        public boolean isLocked() {
            return !locks.inspect("absent").holders().isEmpty();
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Service.class)
    static class Application {

        static String run() {
            try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                    .web(WebApplicationType.NONE)
                    .properties("holdfast.store=in-memory", "spring.main.banner-mode=off")
                    .run()) {
                return "locked: " + context.getBean(Service.class).isLocked();
            }
        }
    }

    static final class Look {

        static String run() {
            return "reactor: " + ClassUtils.isPresent("reactor.core.publisher.Mono", Look.class.getClassLoader());
        }
    }

    @Test
    void class_path_can_be_reduced() {
        assertThat(ReducedClassPath.without().run(Look.class)).isEqualTo("reactor: true");
        assertThat(ReducedClassPath.without(NOT_OF_THE_STARTER).run(Look.class)).isEqualTo("reactor: false");
    }

    @Test
    void starter_alone_is_enough() {
        assertThat(ReducedClassPath.without(NOT_OF_THE_STARTER).run(Application.class))
                .isEqualTo("locked: true");
    }

    @Test
    void neither_redis_nor_transactions_are_needed_for_locks_in_memory() {
        ReducedClassPath path = ReducedClassPath.without(NOT_OF_THE_STARTER)
                .and("spring-data", "spring-boot-data", "jedis", "spring-tx", "spring-boot-transaction");
        assertThat(path.run(Application.class)).isEqualTo("locked: true");
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Service.class)
    static class OnLettuce {

        static String run() {
            try (ConfigurableApplicationContext context = new SpringApplicationBuilder(OnLettuce.class)
                    .web(WebApplicationType.NONE)
                    .properties(
                            "spring.data.redis.port=" + System.getProperty(PORT),
                            "holdfast.redis.command-timeout=30s",
                            "spring.main.banner-mode=off")
                    .run()) {
                return context.getBean(Service.class).isLocked() + ", " + context.getBean(LockStore.class);
            }
        }
    }

    /** Not hidden from a class loader, as elsewhere in these tests, but absent: nothing may load it. */
    @Test
    void lettuce_is_enough_for_connections_of_the_application() {
        System.setProperty(PORT, String.valueOf(TestRedis.shared().port()));
        try {
            assertThat(ReducedClassPath.without("jedis").run(OnLettuce.class))
                    .startsWith("true, Redis at localhost:")
                    .contains("because Jedis is not on the classpath");
        } finally {
            System.clearProperty(PORT);
        }
    }

    /** Not Actuator: its annotations bring conditions along, which Boot asks for by name only, unlike this runner. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "io.micrometer.core",
                "reactor.core",
                "org.springframework.transaction",
                "org.springframework.integration",
                "org.springframework.test",
                "io.lettuce"
            })
    void application_works_without(String packageName) {
        Runners.redis()
                .withClassLoader(new FilteredClassLoader(packageName))
                .withBean(Service.class)
                .run(context ->
                        assertThat(context.getBean(Service.class).isLocked()).isTrue());
    }

    public static class WithoutTemplate {

        @DistributedLock(key = "'absent'")
        public void run() {}
    }

    @Test
    void without_spring_data_redis_there_is_no_store_and_locked_methods_end_the_start() {
        Runners.withoutStore()
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(LockStore.class)
                        .doesNotHaveBean(LockTemplate.class));
        Runners.withoutStore()
                .withBean(WithoutTemplate.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasMessageContainingAll("WithoutTemplate.run", "or Spring Data Redis"));
    }
}
