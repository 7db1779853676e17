package io.holdfast.lock.spring.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundle;

/**
 * What {@code spring.data.redis} says of one server, read as Spring Boot reads it, for applications without its Redis
 * module. Each property is read by itself, so that a native image needs no hint.
 */
final class SpringDataRedis {

    private static final String PREFIX = "spring.data.redis.";
    private static final List<String> OTHER_TOPOLOGIES =
            List.of("sentinel.nodes", "cluster.nodes", "masterreplica.nodes");

    private final Binder binder;

    SpringDataRedis(Binder binder) {
        this.binder = binder;
    }

    /**
     * The server; where nothing is said, the one on this machine.
     *
     * @throws LockSetupException if it is not a single one
     * @throws InvalidLockPropertyException if a value is not allowed
     */
    RedisServer server(SslBundleLookup bundles) {
        OTHER_TOPOLOGIES.forEach(this::refuse);
        String bundleName = get("ssl.bundle", String.class);
        SslBundle bundle = bundles.find(PREFIX + "ssl.bundle", bundleName);
        Boolean enabled = get("ssl.enabled", Boolean.class);
        RedisServer server = base();
        boolean tls = server.tls() || (enabled == null ? bundle != null : enabled);
        return tls ? server.byTls().with(bundle) : server;
    }

    private RedisServer base() {
        String url = get("url", String.class);
        if (url != null) {
            return RedisServer.ofUrl(PREFIX + "url", url);
        }
        String host = get("host", String.class);
        Integer port = get("port", Integer.class);
        Integer database = get("database", Integer.class);
        if (port != null && !RedisServer.isPort(port)) {
            throw new InvalidLockPropertyException(PREFIX + "port", port, "1 to 65535");
        }
        if (database != null && database < 0) {
            throw new InvalidLockPropertyException(PREFIX + "database", database, "0 or greater");
        }
        return new RedisServer(
                host == null ? "localhost" : host,
                port == null ? RedisServer.DEFAULT_PORT : port,
                database == null ? 0 : database,
                get("username", String.class),
                get("password", String.class),
                false,
                null);
    }

    private void refuse(String nodes) {
        if (binder.bind(PREFIX + nodes, Bindable.listOf(String.class)).isBound()) {
            throw new LockSetupException(
                    PREFIX + nodes + " is set, but there is no RedisConnectionFactory bean for it.",
                    "Add Spring Boot's Redis module, org.springframework.boot:spring-boot-data-redis, or stop"
                            + " excluding its auto-configuration.",
                    null);
        }
    }

    private <T> @Nullable T get(String name, Class<T> type) {
        return binder.bind(PREFIX + name, type).orElse(null);
    }
}
