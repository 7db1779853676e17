package io.holdfast.lock.testing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol.Command;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * One server, or a cluster of two masters, each the same for all tests of a JVM, and users that may run all commands but some. A service
 * that removes a command replies "unknown command" where these reply NOPERM; Holdfast treats both alike.
 */
public enum RestrictedRedis {
    ONE_SERVER {
        @Override
        public RedisAddress address() {
            return RedisAddress.standalone(Server.SHARED.port());
        }
    },

    CLUSTER {
        @Override
        public RedisAddress address() {
            return Cluster.SHARED.address();
        }
    };

    /** All that are known to Redis 6.2 to 8, since Redis 6.2 can only permit single subcommands, not deny them. */
    static final Map<String, Set<String>> SUBCOMMANDS = Map.of(
            "acl", words("cat deluser dryrun genpass getuser help list load log save setuser users whoami"),
            "client",
                    words(
                            "caching getname getredir help id info kill list no-evict no-touch pause reply setinfo setname"
                                    + " tracking trackinginfo unblock unpause"),
            "cluster",
                    words(
                            "addslots addslotsrange bumpepoch count-failure-reports countkeysinslot delslots delslotsrange"
                                    + " failover flushslots forget getkeysinslot help info keyslot links meet myid myshardid nodes"
                                    + " replicas replicate reset saveconfig set-config-epoch setslot shards slaves slots"),
            "config", words("get help resetstat rewrite set"),
            "pubsub", words("channels help numpat numsub shardchannels shardnumsub"),
            "script", words("debug exists flush help kill load"));

    private static final String PASSWORD = "password";
    private static final AtomicInteger USERS = new AtomicInteger();

    /** A user of a server. */
    public record User(RestrictedRedis server, String name) {

        public String password() {
            return PASSWORD;
        }
    }

    /** Where it listens. */
    public abstract RedisAddress address();

    private Stream<Jedis> administrators() {
        return address().ports().stream().map(TestRedis::administrator);
    }

    /** A new user, which may run all commands but these, on all keys and channels. */
    public User without(Set<String> blocked) {
        User user = new User(this, "user" + USERS.incrementAndGet());
        administrators().forEach(administrator -> {
            try (administrator) {
                List<String> rules = new ArrayList<>(List.of("on", ">" + PASSWORD, "~*", "&*", "+@all"));
                rules.addAll(rules(administrator, new TreeSet<>(blocked)));
                administrator.aclSetUser(user.name(), rules.toArray(String[]::new));
                administrator.scriptFlush(); // scripts that are known need no EVAL
            }
        });
        return user;
    }

    private static List<String> rules(Jedis server, TreeSet<String> blocked) {
        boolean deniesSubcommands = deniesSubcommands(server);
        return blocked.stream()
                .flatMap(command -> {
                    String container = container(command);
                    if (deniesSubcommands || container.equals(command)) {
                        return knows(server, command) ? Stream.of("-" + command) : Stream.of();
                    }
                    return Stream.concat(
                            Stream.of("-" + container),
                            SUBCOMMANDS.get(container).stream()
                                    .map(sub -> container + "|" + sub)
                                    .filter(each -> !blocked.contains(each))
                                    .map(each -> "+" + each));
                })
                .distinct()
                .toList();
    }

    private static boolean deniesSubcommands(Jedis server) {
        return knows(server, "client|list"); // since Redis 7.0
    }

    private static String container(String command) {
        return command.split("\\|")[0];
    }

    private static boolean knows(Jedis server, String command) {
        return arity(server, command) != 0;
    }

    /** How many words it has at least; 0 if the server does not know it. */
    private static int arity(Jedis server, String command) {
        Object known = ((List<?>) server.sendCommand(Command.COMMAND, "INFO", command)).get(0);
        return known == null ? 0 : Math.abs(((Long) ((List<?>) known).get(1)).intValue());
    }

    /** Those of the commands that this server knows, and that the user may nevertheless run. */
    public Set<String> permitted(User user, Set<String> blocked) {
        try (Jedis administrator = administrators().findFirst().orElseThrow();
                Jedis client = TestRedis.administrator(address().ports().get(0))) {
            client.auth(user.name(), PASSWORD);
            return blocked.stream()
                    .filter(command -> knows(administrator, nameOf(administrator, command)))
                    .filter(command ->
                            !isRefused(client, command, arity(administrator, nameOf(administrator, command))))
                    .collect(Collectors.toSet());
        }
    }

    /** Until Redis 7.0, subcommands have no name of their own. */
    private static String nameOf(Jedis server, String command) {
        return deniesSubcommands(server) ? command : container(command);
    }

    /** Permissions are checked only if there are enough arguments and, since Redis 7.0, the subcommand is known. */
    private static boolean isRefused(Jedis client, String command, int arity) {
        String[] words = command.split("\\|");
        String[] arguments = Stream.concat(Stream.of(words), Stream.generate(() -> "help"))
                .limit(Math.max(words.length, arity))
                .skip(1)
                .toArray(String[]::new);
        try {
            client.sendCommand(() -> words[0].getBytes(StandardCharsets.US_ASCII), arguments);
            return false;
        } catch (JedisDataException e) {
            String error = String.valueOf(e.getMessage());
            return error.startsWith("NOPERM") || error.contains("command not allowed"); // DEBUG, since Redis 7.0
        }
    }

    /** What was called since the last call, by clients and by scripts; with subcommands since Redis 7.0. */
    public Set<String> takeCalled() {
        Set<String> called = new TreeSet<>();
        administrators().forEach(administrator -> {
            try (administrator) {
                administrator
                        .info("commandstats")
                        .lines()
                        .filter(line -> line.startsWith("cmdstat_"))
                        .map(line -> line.substring("cmdstat_".length(), line.indexOf(':')))
                        .forEach(called::add);
                administrator.configResetStat();
            }
        });
        return called;
    }

    private static Set<String> words(String text) {
        return Set.of(text.split(" "));
    }

    private static final class Server {
        private static final RedisServerProcess SHARED = RedisServerProcess.start();
    }

    private static final class Cluster {
        private static final RedisClusterProcesses SHARED = RedisClusterProcesses.start(2, 0, Duration.ofMinutes(5));
    }
}
