package io.holdfast.lock.spring.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails;
import java.lang.reflect.Constructor;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetailsFactories;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.docker.compose.core.ConnectionPorts;
import org.springframework.boot.docker.compose.core.ImageReference;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.core.env.Environment;
import org.springframework.mock.env.MockEnvironment;

/** What Spring Boot makes of services of Docker Compose that are running. */
class ComposeConnectionTest {

    private record Service(String name, ImageReference image, Map<String, String> labels) implements RunningService {

        @Override
        public String host() {
            return "127.0.0.1";
        }

        @Override
        public ConnectionPorts ports() {
            return new ConnectionPorts() {
                @Override
                public int get(int containerPort) {
                    return containerPort + 10_000;
                }

                @Override
                public List<Integer> getAll() {
                    return List.of(16_379);
                }

                @Override
                public List<Integer> getAll(@Nullable String protocol) {
                    return getAll();
                }
            };
        }

        @Override
        public Map<String, String> env() {
            return Map.of();
        }
    }

    /** As Spring Boot asks all factories for a service that has started. */
    private static Map<Class<?>, ConnectionDetails> detailsOf(String image, Map<String, String> labels)
            throws ReflectiveOperationException {
        Constructor<DockerComposeConnectionSource> constructor =
                DockerComposeConnectionSource.class.getDeclaredConstructor(RunningService.class, Environment.class);
        constructor.setAccessible(true);
        DockerComposeConnectionSource source =
                constructor.newInstance(new Service("redis", ImageReference.of(image), labels), new MockEnvironment());
        return new ConnectionDetailsFactories(ComposeConnectionTest.class.getClassLoader())
                .getConnectionDetails(source, false);
    }

    @Test
    void service_with_the_label_is_the_redis_of_locks_and_of_nobody_else() throws ReflectiveOperationException {
        var details = detailsOf("redis:7", Map.of("org.springframework.boot.service-connection", "holdfast"));

        assertThat(details).containsOnlyKeys(LockConnectionDetails.class);
        LockConnectionDetails locks = (LockConnectionDetails) details.get(LockConnectionDetails.class);
        assertThat(locks.getStandalone()).isEqualTo(new LockConnectionDetails.Standalone("127.0.0.1", 16379, 0));
        assertThat(locks.getSslBundle()).isNull();
    }

    @Test
    void service_without_it_is_the_redis_of_the_application() throws ReflectiveOperationException {
        assertThat(detailsOf("redis:7", Map.of())).containsOnlyKeys(DataRedisConnectionDetails.class);
    }

    @Test
    void other_services_are_left_alone() throws ReflectiveOperationException {
        assertThat(detailsOf("example/other:1", Map.of())).doesNotContainKey(LockConnectionDetails.class);
    }
}
