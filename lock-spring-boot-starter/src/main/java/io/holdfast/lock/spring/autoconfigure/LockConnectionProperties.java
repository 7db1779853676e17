package io.holdfast.lock.spring.autoconfigure;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties.ClientType;
import org.springframework.util.StringUtils;

/**
 * Where locks have a Redis of their own. Each property means what the one of the same name means under
 * {@code spring.data.redis}.
 *
 * @param url Address of the Redis that locks use instead of the application's, as in
 *     redis://user:password@example.com:6379/8. Overrides host, port, username, password and database.
 * @param host Host of the Redis that locks use instead of the application's.
 * @param port Port of the locks' own Redis, 6379 unless set.
 * @param username Login user of the locks' own Redis.
 * @param password Login password of the locks' own Redis.
 * @param database Database index in the locks' own Redis, 0 unless set.
 * @param clientType Client of connections that only locks use. That of spring.data.redis.client-type unless set.
 * @param ssl TLS of the locks' own Redis.
 * @param sentinel Sentinels that know where the locks' own Redis is.
 * @param cluster Redis Cluster that locks use instead of the application's Redis.
 */
@ConfigurationProperties("lock.redis")
record LockConnectionProperties(
        @Nullable String url,
        @Nullable String host,
        @Nullable Integer port,
        @Nullable String username,
        @Nullable String password,
        @Nullable Integer database,
        @Nullable ClientType clientType,
        @DefaultValue Ssl ssl,
        @DefaultValue Sentinel sentinel,
        @DefaultValue Cluster cluster) {

    /** Checks each value, so that a failure names its property. */
    LockConnectionProperties {
        if (url != null) {
            ServerAddress.ofUrl("lock.redis.url", url);
        }
        require(host == null || !host.isBlank(), "lock.redis.host", host, "a host name or address");
        require(port == null || (port >= 1 && port <= 65_535), "lock.redis.port", port, "1 to 65535");
        require(database == null || database >= 0, "lock.redis.database", database, "0 or greater");
    }

    /**
     * TLS of the locks' own Redis.
     *
     * @param enabled Whether locks speak TLS with their own Redis. True if a bundle is set, false otherwise.
     * @param bundle Name of the SSL bundle for the locks' own Redis.
     */
    record Ssl(@Nullable Boolean enabled, @Nullable String bundle) {}

    /**
     * Sentinels.
     *
     * @param master Name of the master that the sentinels watch.
     * @param nodes Sentinels that know where the locks' own Redis is, as host:port.
     * @param username Login user of the sentinels.
     * @param password Login password of the sentinels.
     */
    record Sentinel(
            @Nullable String master,
            @Nullable List<String> nodes,
            @Nullable String username,
            @Nullable String password) {

        /** Checks each value, so that a failure names its property. */
        Sentinel {
            checkNodes("lock.redis.sentinel.nodes", nodes);
            require(master == null || !master.isBlank(), "lock.redis.sentinel.master", master, "a name");
        }
    }

    /**
     * Redis Cluster.
     *
     * @param nodes Some nodes of the locks' own Redis Cluster, as host:port. The others are found by asking these.
     * @param maxRedirects How many redirects of the cluster one command follows at most.
     */
    record Cluster(@Nullable List<String> nodes, @Nullable Integer maxRedirects) {

        /** Checks each value, so that a failure names its property. */
        Cluster {
            checkNodes("lock.redis.cluster.nodes", nodes);
            require(
                    maxRedirects == null || maxRedirects >= 0,
                    "lock.redis.cluster.max-redirects",
                    maxRedirects,
                    "0 or greater");
        }
    }

    private static void checkNodes(String property, @Nullable List<String> nodes) {
        if (nodes == null) {
            return;
        }
        require(!nodes.isEmpty(), property, "", "one or more of host:port");
        for (int i = 0; i < nodes.size(); i++) {
            ServerAddress.ofNode(property + "[" + i + "]", nodes.get(i));
        }
    }

    private static void require(boolean fits, String property, @Nullable Object value, String allowed) {
        if (!fits) {
            throw new InvalidLockPropertyException(property, value, allowed);
        }
    }

    /** Which properties of a connection are set; none if locks use the application's. */
    List<String> given() {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("url", url);
        all.put("host", host);
        all.put("port", port);
        all.put("username", textOf(username));
        all.put("password", textOf(password));
        all.put("database", database);
        all.put("client-type", clientType);
        all.put("ssl.enabled", ssl.enabled);
        all.put("ssl.bundle", textOf(ssl.bundle));
        all.put("sentinel.master", sentinel.master);
        all.put("sentinel.nodes", sentinel.nodes);
        all.put("sentinel.username", textOf(sentinel.username));
        all.put("sentinel.password", textOf(sentinel.password));
        all.put("cluster.nodes", cluster.nodes);
        all.put("cluster.max-redirects", cluster.maxRedirects);
        List<String> given = new ArrayList<>();
        all.forEach((name, value) -> {
            if (value != null) {
                given.add("lock.redis." + name);
            }
        });
        return given;
    }

    /** Like {@link #given}, without what goes for other servers too. */
    List<String> givenServer() {
        return given().stream()
                .filter(name -> !name.equals("lock.redis.client-type"))
                .toList();
    }

    /** A blank secret counts as not set, since {@code ${PASSWORD:}} is a usual way to write "perhaps one". */
    private static @Nullable String textOf(@Nullable String value) {
        return StringUtils.hasText(value) ? value : null;
    }

    /**
     * Checks that they name one server. None of the application's are inherited, so without one it would be Boot's
     * default, a server on this machine.
     *
     * @throws LockSetupException if they don't
     */
    void checkServer() {
        if (url == null && host == null && sentinel.nodes == null && cluster.nodes == null) {
            throw new LockSetupException(
                    String.join(", ", given()) + " is set, but not which server locks are to use.",
                    "Set lock.redis.url, host, sentinel.nodes or cluster.nodes too; nothing is taken over from"
                            + " spring.data.redis (lock.redis.host=${spring.data.redis.host} is the same server).",
                    null);
        }
        refuse(
                sentinel.nodes != null && cluster.nodes != null,
                "lock.redis.sentinel.nodes and lock.redis.cluster.nodes are both set.",
                "Remove one of them.");
        refuse(
                sentinel.nodes != null && sentinel.master == null,
                "lock.redis.sentinel.nodes is set, and lock.redis.sentinel.master is not.",
                "Set lock.redis.sentinel.master to the name of the master that the sentinels watch.");
        refuse(
                cluster.nodes != null && database != null && database != 0,
                "lock.redis.database is " + database + ", and a Redis Cluster has database 0 only.",
                "Remove lock.redis.database.");
    }

    private static void refuse(boolean wrong, String problem, String action) {
        if (wrong) {
            throw new LockSetupException(problem, action, null);
        }
    }
}
