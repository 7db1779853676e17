package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code spring.data.redis} in an application that has a driver, but not Spring Boot's module for Redis. */
class SpringDataRedisTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "host=a",
                "url=redis://a:1",
                "sentinel.nodes=a:1,b:1",
                "cluster.nodes=a:1",
                "cluster.nodes[0]=a:1",
                "masterreplica.nodes=a:1"
            })
    void server_that_nothing_reads_is_refused(String property) {
        Runners.starter()
                .withPropertyValues("spring.data.redis." + property)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(
                                property.replaceAll("(\\[0])?=.*", "") + " is set",
                                "holdfast.redis.url",
                                "spring-boot-starter-data-redis"));
    }

    @Test
    void server_on_this_machine_is_the_default() {
        Runners.starter()
                .withPropertyValues("spring.data.redis.repositories.enabled=false")
                .run(context ->
                        assertThat(context.getBean(LockStore.class)).asString().contains("localhost:6379"));
    }
}
