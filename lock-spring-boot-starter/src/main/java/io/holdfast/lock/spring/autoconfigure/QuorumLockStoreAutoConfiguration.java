package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.quorum.QuorumLockStore;
import io.holdfast.lock.quorum.QuorumNode;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.store.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Keeps locks on several servers that know nothing of each other. Backs off before a store or template of the
 * application's own.
 */
@AutoConfiguration
@ConditionalOnClass(RedisConnectionFactory.class)
@ConditionalOnMissingBean({LockStore.class, LockTemplate.class})
@Conditional(OnQuorum.class)
@EnableConfigurationProperties(LockProperties.class)
@Import({OwnConnections.class, TimesNeedUnits.class})
public final class QuorumLockStoreAutoConfiguration {

    /** Needs the connections that it is made from, so it is closed before them. */
    @Bean
    QuorumLockStore holdfastLockStore(
            ConfigurableListableBeanFactory beans,
            LockProperties properties,
            ObjectProvider<LockConnectionDetails> details,
            OwnConnections connections) {
        QuorumProperties quorum = properties.quorum();
        refuseOtherServers(properties.redis(), details.getIfAvailable());
        new ConnectionFactories(beans).refuseMarked("holdfast.quorum.nodes");
        Duration rejoinDelay = rejoinDelay(quorum, properties.lease());
        RedisLockSettings settings = properties
                .redis()
                .toSettings()
                .withCommandTimeout(quorum.nodeTimeout())
                .withRejoinDelay(rejoinDelay);
        List<QuorumNode> nodes = new ArrayList<>();
        connect(quorum, connections, settings)
                .forEach((name, factory) -> nodes.add(new QuorumNode(name, new RedisLockStore(factory, settings))));
        return new QuorumLockStore(nodes, rejoinDelay);
    }

    /** All of them before the first store is made, so that none is left over if one of them can't be. */
    private static Map<String, RedisConnectionFactory> connect(
            QuorumProperties quorum, OwnConnections connections, RedisLockSettings settings) {
        SslBundle bundle = connections
                .bundles()
                .find("holdfast.quorum.ssl.bundle", quorum.ssl().bundle());
        Map<String, RedisConnectionFactory> factories = new LinkedHashMap<>();
        for (RedisServer server : quorum.servers()) {
            factories.put(server.name(), connections.open(server.with(bundle), settings));
        }
        return factories;
    }

    private static void refuseOtherServers(RedisProperties redis, @Nullable LockConnectionDetails details) {
        List<String> others = redis.givenServer(details);
        if (redis.replicaAcks().number() > 0) {
            others.add("holdfast.redis.replica-acks.number");
        }
        if (!others.isEmpty()) {
            throw new LockSetupException(
                    "holdfast.quorum.nodes is set together with " + String.join(", ", others) + ".",
                    "Remove one or the other: locks are kept either on a quorum of servers, or on a single Redis"
                            + " server with its replicas. The user, password and database of a quorum server belong in its"
                            + " URL.",
                    null);
        }
    }

    private static Duration rejoinDelay(QuorumProperties quorum, Duration lease) {
        Duration delay = quorum.rejoinDelay() == null ? lease : quorum.rejoinDelay();
        if (lease.compareTo(delay) > 0) {
            throw new LockSetupException(
                    "holdfast.lease is " + InvalidLockPropertyException.text(lease)
                            + ", longer than holdfast.quorum.rejoin-delay ("
                            + InvalidLockPropertyException.text(delay)
                            + "): a server that has lost its data could grant locks whose previous leases have not"
                            + " expired.",
                    "Set holdfast.quorum.rejoin-delay to the longest lease in use, or shorten holdfast.lease.",
                    null);
        }
        return delay;
    }
}
