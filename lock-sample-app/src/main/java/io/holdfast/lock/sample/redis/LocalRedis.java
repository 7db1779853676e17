package io.holdfast.lock.sample.redis;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;

/**
 * Makes the sample run where there is no Redis. It looks at the address that Boot has made of
 * {@code spring.data.redis.*}. If a Redis answers there, that is the one. If none does, the sample joins the server that
 * another instance on this machine has started, or starts one and publishes it for the others. Finding, starting and
 * publishing are guarded by a file lock, so two instances that start at the same moment end up with one server.
 *
 * <p>As a post-processor it is created before all other beans and destroyed after them: locks are given back before the
 * server goes.
 */
final class LocalRedis implements BeanPostProcessor, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(LocalRedis.class);

    private final Path directory;
    private @Nullable Closeable stake;

    /**
     * @param directory where the instances of one user meet
     */
    LocalRedis(Path directory) {
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
        if (RedisPing.answers(address.getHost(), address.getPort(), configured.getSslBundle() != null)) {
            log.info("Redis: using the server at {}", place);
            return configured;
        }
        log.info("Redis: no server at {}", place);
        return new LocalConnectionDetails(joinOrStart());
    }

    private int joinOrStart() {
        try {
            return MeetingPlace.at(directory).exclusively(place -> {
                Optional<JoinedRedis> joined = JoinedRedis.join(place);
                return joined.isPresent() ? joined(joined.get(), place) : started(RedisServer.start(directory), place);
            });
        } catch (IOException e) {
            throw new UncheckedIOException("No Redis could be found or started with " + directory, e);
        }
    }

    private int joined(JoinedRedis redis, MeetingPlace place) {
        stake = redis;
        log.info(
                "Redis: joined 127.0.0.1:{}, which another instance of the sample (pid {}) has started; found in {}",
                redis.address().port(),
                redis.address().startedBy(),
                place.file());
        return redis.address().port();
    }

    private int started(RedisServer server, MeetingPlace place) throws IOException {
        stake = server;
        place.publish(server.address());
        log.info(
                "Redis: started an embedded redis-server on 127.0.0.1:{} (pid {}). Other instances on this machine"
                        + " find it through {}; it stops with the last of them.",
                server.address().port(),
                server.address().pid(),
                place.file());
        return server.address().port();
    }

    @Override
    public void close() throws IOException {
        Closeable mine = stake;
        stake = null;
        if (mine != null) {
            mine.close();
        }
    }

    private record LocalConnectionDetails(int port) implements DataRedisConnectionDetails {

        @Override
        public Standalone getStandalone() {
            return Standalone.of("127.0.0.1", port);
        }
    }
}
