package io.holdfast.lock.testing;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.ScanParams;
import redis.clients.jedis.resps.ScanResult;

/**
 * A server or cluster that is running already. Its URL, such as {@code rediss://user:password@host:6379}, is in the environment, where other
 * users of this machine do not see it. It counts as a cluster if it replies to {@code CLUSTER SLOTS}.
 */
public final class GivenRedis {

    /** The variable with the URL. */
    public static final String VARIABLE = "HOLDFAST_TRY_URL";

    private static final int DEFAULT_PORT = 6379;
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final Pattern VERSION = Pattern.compile("(valkey|dragonfly|redis)_version:(\\S+)");

    private final HostAndPort address;
    private final boolean tls;
    private final String user;
    private final String password;
    private final int database;
    private final List<Master> masters;

    /** The slots of a master. */
    private record Master(long first, long last, HostAndPort address) {}

    private static final class Shared {
        private static final GivenRedis REDIS =
                new GivenRedis(URI.create(Objects.requireNonNull(System.getenv(VARIABLE), VARIABLE + " is not set")));
    }

    /** The same for all tests. */
    public static GivenRedis get() {
        return Shared.REDIS;
    }

    private GivenRedis(URI url) {
        address = new HostAndPort(url.getHost(), url.getPort() < 0 ? DEFAULT_PORT : url.getPort());
        tls = "rediss".equals(url.getScheme());
        String[] login = Optional.ofNullable(url.getRawUserInfo()).orElse(":").split(":", 2);
        user = decode(login[0]);
        password = decode(login.length < 2 ? "" : login[1]);
        String path = Optional.ofNullable(url.getPath()).orElse("").replace("/", "");
        database = path.isEmpty() ? 0 : Integer.parseInt(path);
        masters = findMasters();
    }

    private static String decode(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private List<Master> findMasters() {
        List<Master> found = new ArrayList<>();
        try (Jedis jedis = connect(address)) {
            for (Object range : jedis.clusterSlots()) {
                List<?> columns = (List<?>) range;
                List<?> node = (List<?>) columns.get(2);
                String host = node.get(0) == null ? "" : new String((byte[]) node.get(0), StandardCharsets.UTF_8);
                int port = ((Long) node.get(1)).intValue();
                found.add(new Master(
                        (Long) columns.get(0),
                        (Long) columns.get(1),
                        new HostAndPort(host.isEmpty() ? address.getHost() : host, port)));
            }
        } catch (JedisDataException notACluster) {
            found.clear();
        }
        return List.copyOf(found);
    }

    public boolean isCluster() {
        return !masters.isEmpty();
    }

    /** How many servers have slots. */
    public long servers() {
        return isCluster() ? addresses().count() : 1;
    }

    private Stream<HostAndPort> addresses() {
        return isCluster() ? masters.stream().map(Master::address).distinct() : Stream.of(address);
    }

    HostAndPort masterOf(String key) {
        int slot = RedisClusterProcesses.slot(key);
        return masters.stream()
                .filter(master -> master.first() <= slot && slot <= master.last())
                .map(Master::address)
                .findFirst()
                .orElse(address);
    }

    Jedis connect(String key) {
        return connect(masterOf(key));
    }

    private Jedis connect(HostAndPort server) {
        DefaultJedisClientConfig.Builder client = DefaultJedisClientConfig.builder()
                .socketTimeoutMillis(TIMEOUT_MILLIS)
                .database(database)
                .ssl(tls);
        if (!user.isEmpty()) {
            client.user(user);
        }
        if (!password.isEmpty()) {
            client.password(password);
        }
        JedisClientConfig config = client.build();
        return new Jedis(server, config);
    }

    /** An application's connections. */
    public RedisConnectionFactory connect(TestRedis.Client client) {
        return client.connect(configuration(), trust());
    }

    private RedisConfiguration configuration() {
        if (isCluster()) {
            RedisClusterConfiguration cluster = new RedisClusterConfiguration(List.of(address.toString()));
            login(cluster);
            return cluster;
        }
        RedisStandaloneConfiguration single = new RedisStandaloneConfiguration(address.getHost(), address.getPort());
        single.setDatabase(database);
        login(single);
        return single;
    }

    private void login(RedisConfiguration.WithAuthentication servers) {
        if (!user.isEmpty()) {
            servers.setUsername(user);
        }
        servers.setPassword(password);
    }

    /** What this JDK trusts. */
    private @Nullable TrustManagerFactory trust() {
        if (!tls) {
            return null;
        }
        try {
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init((KeyStore) null);
            return trust;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("This JDK does not support TLS", e);
        }
    }

    /** What the server says it is; unknown if the user may not ask. */
    public String version() {
        try (Jedis jedis = connect(address)) {
            return VERSION.matcher(jedis.info("server"))
                    .results()
                    .map(found -> found.group(1) + ' ' + found.group(2))
                    .sorted((one, another) -> another.compareTo(one)) // Valkey also names a version of Redis
                    .findFirst()
                    .orElse("unknown");
        } catch (JedisDataException notPermitted) {
            return "unknown";
        }
    }

    /** Deletes all keys with this prefix, one by one, and returns how many there were. */
    public long removeKeys(String prefix) {
        return addresses().mapToLong(server -> removeKeys(server, prefix)).sum();
    }

    private long removeKeys(HostAndPort server, String prefix) {
        long removed = 0;
        try (Jedis jedis = connect(server)) {
            String cursor = ScanParams.SCAN_POINTER_START;
            do {
                ScanResult<String> page =
                        jedis.scan(cursor, new ScanParams().match(prefix + ":*").count(1000));
                for (String key : page.getResult()) {
                    removed += jedis.del(key);
                }
                cursor = page.getCursor();
            } while (!cursor.equals(ScanParams.SCAN_POINTER_START));
        }
        return removed;
    }
}
