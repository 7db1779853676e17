package io.holdfast.lock.sample.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.stereotype.Component;

/**
 * Lets the sample run without a Redis server. If a server responds at the address of {@code spring.data.redis.*}, it is used.
 * Otherwise the sample joins the server that another instance on this machine has started, or starts one.
 *
 * <p>As a post-processor it is created before all other beans and destroyed after them: locks are released before the
 * server stops.
 */
@Component
final class LocalRedis implements BeanPostProcessor, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LocalRedis.class);

    private final Path directory;
    private @Nullable EmbeddedRedis shared;

    /**
     * @param directory the directory that the instances of one user share
     */
    LocalRedis(@Value("${shop.directory}") Path directory) {
        this.directory = directory;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        return bean instanceof DataRedisConnectionDetails details ? choose(details) : bean;
    }

    private DataRedisConnectionDetails choose(DataRedisConnectionDetails configured) {
        Standalone address = configured.getStandalone();
        if (address == null || configured.getCluster() != null || configured.getSentinel() != null) {
            return configured;
        }
        String place = address.getHost() + ":" + address.getPort();
        if (EmbeddedRedis.answers(address.getHost(), address.getPort(), configured.getSslBundle() != null)) {
            log.info("Redis: using the server at {}", place);
            return configured;
        }
        log.info("Redis: no server at {}", place);
        try {
            shared = EmbeddedRedis.joinOrStart(directory);
        } catch (IOException e) {
            throw new UncheckedIOException("No Redis could be found or started in " + directory, e);
        }
        return new LocalConnectionDetails(shared.port());
    }

    @Override
    public void close() throws IOException {
        if (shared != null) {
            shared.close();
        }
    }

    private record LocalConnectionDetails(int port) implements DataRedisConnectionDetails {

        @Override
        public Standalone getStandalone() {
            return Standalone.of("127.0.0.1", port);
        }
    }
}
