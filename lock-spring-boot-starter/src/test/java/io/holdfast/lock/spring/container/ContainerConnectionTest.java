package io.holdfast.lock.spring.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.testcontainers.containers.GenericContainer;

/** What Spring Boot makes of containers. They are real to Spring Boot; the Redis in them is a process, so no Docker is needed. */
@Timeout(60)
class ContainerConnectionTest {

    private static RedisServerProcess redis;

    @BeforeAll
    static void start() {
        redis = RedisServerProcess.start();
    }

    @AfterAll
    static void stop() {
        redis.close();
    }

    /** Its port 6379 is that of a process on this machine. */
    static final class ProcessContainer extends GenericContainer<ProcessContainer> {

        private final int port;

        ProcessContainer(String image, int port) {
            super(image);
            this.port = port;
        }

        @Override
        public void start() {}

        @Override
        public void stop() {}

        @Override
        public String getHost() {
            return "127.0.0.1";
        }

        @Override
        public Integer getMappedPort(int originalPort) {
            assertThat(originalPort).isEqualTo(6379);
            return port;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByType {

        @Bean
        @ServiceConnection(type = LockConnectionDetails.class)
        ProcessContainer locksRedis() {
            return new ProcessContainer("example/redis-like:1", redis.port());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByName {

        @Bean
        @ServiceConnection("holdfast")
        ProcessContainer locksRedis() {
            return new ProcessContainer("redis:7", redis.port());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Applications {

        @Bean
        @ServiceConnection("redis")
        ProcessContainer applicationsRedis() {
            return new ProcessContainer("redis:7", TestRedis.shared().port());
        }
    }

    private static ApplicationContextRunner application(Class<?>... configurations) {
        return Runners.redis(1) // nobody is there
                .withConfiguration(AutoConfigurations.of(ServiceConnectionAutoConfiguration.class))
                .withUserConfiguration(configurations);
    }

    private static void isKeptIn(int port, AssertableApplicationContext context) {
        assertThat(context).hasNotFailed();
        assertThat(context.getBean(LockStore.class)).asString().contains("127.0.0.1:" + port + " ");
        try (LockHandle lock = context.getBean(LockTemplate.class).acquire("container")) {
            assertThat(lock.fencingToken()).isPositive();
        }
    }

    @Test
    void container_with_that_type_is_the_redis_of_locks_whatever_its_image() {
        application(ByType.class).run(context -> isKeptIn(redis.port(), context));
    }

    @Test
    void container_with_that_name_is_the_redis_of_locks() {
        application(ByName.class).run(context -> isKeptIn(redis.port(), context));
    }

    @Test
    void containers_redis_of_locks_is_not_the_applications() {
        application(ByName.class, Applications.class).run(context -> {
            isKeptIn(redis.port(), context);
            DataRedisConnectionDetails applications = context.getBean(DataRedisConnectionDetails.class);
            assertThat(applications.getStandalone().getPort())
                    .isEqualTo(TestRedis.shared().port());
        });
    }

    @Test
    void redis_of_the_application_stays_its_own_and_locks_use_it_by_its_connection() {
        application(Applications.class).run(context -> {
            assertThat(context).doesNotHaveBean(LockConnectionDetails.class);
            isKeptIn(TestRedis.shared().port(), context);
        });
    }

    @Test
    void container_of_redis_is_that_of_locks_where_nobody_else_takes_it() {
        assertThat(ConnectionNames.accepted(true)).containsExactly("holdfast");
        assertThat(ConnectionNames.accepted(false)).contains("holdfast", "redis");
    }
}
