package io.holdfast.lock.testing;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Managed services, and the commands that each one blocks according to its documentation; {@link RestrictedRedis} stands in for them. What
 * the documentation does not say, such as how a service fails over, is not imitated.
 */
public enum ManagedService {

    /** Node-based, cluster mode disabled. */
    ELASTICACHE(Page.ELASTICACHE, false, Commands.ELASTICACHE),

    /** Node-based, cluster mode enabled. */
    ELASTICACHE_CLUSTER(Page.ELASTICACHE, true, Commands.ELASTICACHE),

    /**
     * All messages are sharded, so a script may publish only to channels in the slot of its key, and those of clients are in others, see <a
     * href="https://github.com/spring-projects/spring-integration/issues/10471">an issue of Spring Integration</a>.
     */
    ELASTICACHE_SERVERLESS(Page.ELASTICACHE, true, Commands.ELASTICACHE, Commands.ELASTICACHE_SERVERLESS, "publish"),

    MEMORYDB(
            "https://docs.aws.amazon.com/memorydb/latest/devguide/restrictedcommands.html",
            true,
            "acl|deluser acl|load acl|save acl|setuser bgrewriteaof bgsave cluster|addslots cluster|delslots cluster|setslot"
                    + " config debug migrate module psync replicaof save shutdown slaveof sync"),

    /** With a proxy that looks like one server. Scripts may not call {@code INFO}; here, nobody may. */
    REDIS_ENTERPRISE(Page.REDIS, false, Commands.REDIS_ENTERPRISE, "cluster info"),

    /** Without a Flexible subscription. */
    REDIS_CLOUD(Page.REDIS, false, Commands.REDIS_ENTERPRISE, "cluster info wait"),

    /** Built on Redis Enterprise, as its page on <a href="https://learn.microsoft.com/en-us/azure/redis/best-practices-client-libraries">client libraries</a> says. */
    AZURE_ENTERPRISE_POLICY(Page.REDIS, false, Commands.REDIS_ENTERPRISE, "cluster info"),

    /** Drivers need {@code INFO} in a cluster. */
    AZURE_OSS_POLICY(
            Page.REDIS, true, Commands.REDIS_ENTERPRISE, Commands.allBut("cluster", "help info keyslot nodes slots")),

    MEMORYSTORE_REDIS(
            "https://cloud.google.com/memorystore/docs/redis/product-constraints",
            false,
            "acl bgrewriteaof bgsave client cluster command config debug lastsave migrate monitor object shutdown replicaof"
                    + " save"),

    /** Cluster mode disabled. */
    MEMORYSTORE_VALKEY(
            "https://docs.cloud.google.com/memorystore/docs/valkey/supported-commands",
            false,
            Commands.MEMORYSTORE,
            "cluster"),

    /** Memorystore for Redis Cluster, and Memorystore for Valkey with cluster mode enabled. */
    MEMORYSTORE_CLUSTER(
            "https://docs.cloud.google.com/memorystore/docs/cluster/supported-commands",
            true,
            Commands.MEMORYSTORE,
            Commands.allBut(
                    "cluster",
                    "count-failure-reports countkeysinslot getkeysinslot help info keyslot links myid nodes replicas shards"
                            + " slaves slots")),

    /** The page lists what is supported; this is the rest. */
    UPSTASH(
            "https://upstash.com/docs/redis/overall/rediscompatibility",
            false,
            "asking bgrewriteaof bgsave client cluster command config debug failover fcall fcall_ro function info lastsave"
                    + " latency memory migrate module monitor move object psync readonly readwrite replicaof role save"
                    + " script|debug script|kill shutdown slaveof slowlog swapdb sync wait"),

    /** Not sharded. */
    OCI(Page.OCI, false, Commands.OCI, "cluster"),

    /** The page blocks CLUSTER as well, but no driver could use a cluster without {@code CLUSTER SLOTS}. */
    OCI_SHARDED(Page.OCI, true, Commands.OCI, "eval eval_ro evalsha evalsha_ro fcall fcall_ro function script"),

    /** Scripts may use no keys but those of the call, see {@code DeclaredKeysTest}. */
    DRAGONFLY("https://www.dragonflydb.io/docs/managing-dragonfly/scripting", false, "");

    private final String page;
    private final boolean cluster;
    private final Set<String> blocked;

    ManagedService(String page, boolean cluster, String... blocked) {
        this.page = page;
        this.cluster = cluster;
        this.blocked = Stream.of(blocked)
                .flatMap(list -> Stream.of(list.split(" ")))
                .filter(command -> !command.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Where the commands are listed. */
    public String page() {
        return page;
    }

    public boolean isCluster() {
        return cluster;
    }

    /** Commands in lower case; a vertical bar precedes a subcommand. */
    public Set<String> blocked() {
        return blocked;
    }

    private static final class Page {
        static final String ELASTICACHE =
                "https://docs.aws.amazon.com/AmazonElastiCache/latest/dg/SupportedCommands.html";
        static final String REDIS = "https://redis.io/docs/latest/operate/rs/references/compatibility/commands/";
        static final String OCI = "https://docs.oracle.com/iaas/Content/ocicache/restrictedcommands.htm";
    }

    private static final class Commands {
        static final String ELASTICACHE =
                "acl|setuser acl|load acl|save acl|deluser bgrewriteaof bgsave cluster|addslots"
                        + " cluster|addslotsrange cluster|bumpepoch cluster|delslots cluster|delslotsrange cluster|failover"
                        + " cluster|flushslots cluster|forget cluster|links cluster|meet cluster|setslot config debug migrate psync"
                        + " replicaof save slaveof shutdown sync";

        static final String ELASTICACHE_SERVERLESS = "acl|log client|caching client|getredir client|id client|info"
                + " client|kill client|list client|no-evict client|pause client|tracking client|trackinginfo client|unblock"
                + " client|unpause cluster|count-failure-reports commandlog fcall fcall_ro function keys lastsave latency"
                + " memory monitor move object pfdebug pfselftest psubscribe pubsub|numpat punsubscribe script|kill slowlog"
                + " swapdb wait";

        /** Without {@code RESET}, which Redis cannot deny. */
        static final String REDIS_ENTERPRISE = "acl|deluser acl|genpass acl|load acl|log acl|save acl|setuser asking"
                + " bgrewriteaof bgsave client|caching client|getredir client|no-evict client|pause client|reply"
                + " client|tracking client|trackinginfo client|unpause config|resetstat debug failover lastsave migrate"
                + " module move psync readonly readwrite replconf replicaof restore-asking role save script|debug"
                + " select shutdown slaveof swapdb sync";

        /** The pages list what is supported, but {@code WAIT} was not seen there. */
        static final String MEMORYSTORE = "acl bgrewriteaof bgsave client|no-evict client|no-touch client|pause"
                + " client|setinfo client|unblock client|unpause config|get config|resetstat config|rewrite config|set debug"
                + " failover lastsave migrate module monitor psync replicaof save shutdown slaveof sync wait";

        static final String OCI =
                "acl bgrewriteaof bgsave config|set debug migrate module psync replicaof save shutdown sync";

        static String allBut(String command, String permitted) {
            Set<String> blocked = new TreeSet<>(RestrictedRedis.SUBCOMMANDS.get(command));
            blocked.removeAll(Set.of(permitted.split(" ")));
            return blocked.stream().map(sub -> command + "|" + sub).collect(Collectors.joining(" "));
        }
    }
}
