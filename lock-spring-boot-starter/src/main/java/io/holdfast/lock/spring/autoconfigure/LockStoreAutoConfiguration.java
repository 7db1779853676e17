package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.quorum.QuorumLockStore;
import io.holdfast.lock.quorum.QuorumNode;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.spring.annotation.LockConnectionFactory;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.store.LockStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MutuallyExclusiveConfigurationPropertiesException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Where locks are kept: in memory, if {@code holdfast.store} is {@code in-memory}; on the servers in {@code
 * holdfast.quorum.nodes}; in a separate Redis, if {@link LockConnectionDetails} or {@code holdfast.redis.url} name one; otherwise
 * in the application's Redis, through its connection factory. Backs off if the application defines a store or template.
 */
@AutoConfiguration(afterName = "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration")
@LocksEnabled
@ConditionalOnMissingBean({LockStore.class, LockTemplate.class})
public final class LockStoreAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(LockStoreAutoConfiguration.class);

    /** Accepts every spelling of the value: {@code IN_MEMORY}, {@code inMemory}. */
    static final class OnInMemory extends SpringBootCondition {

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            LockProperties.Store store = Binder.get(context.getEnvironment())
                    .bind("holdfast.store", LockProperties.Store.class)
                    .orElse(LockProperties.Store.REDIS);
            var message =
                    ConditionMessage.forCondition("Lock store").found("value").items(store);
            return new ConditionOutcome(store == LockProperties.Store.IN_MEMORY, message);
        }
    }

    /** Comes first, because the other configuration creates no store if one exists. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(OnInMemory.class)
    @Order(0)
    static class InMemory {

        @Bean
        @Lazy
        LockStore holdfastLockStore() {
            log.warn("Locks are kept in memory and do not work across processes (holdfast.store=in-memory)");
            return new InMemoryLockStore();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(LockStore.class)
    @ConditionalOnClass(RedisConnectionFactory.class)
    static class Redis {

        private static final String NODES = "holdfast.quorum.nodes";
        private static final String URL = "holdfast.redis.url";
        private static final List<String> APPLICATIONS_SERVERS =
                List.of("url", "host", "port", "sentinel.nodes", "cluster.nodes", "masterreplica.nodes");

        @Bean
        @Lazy
        LockStore holdfastLockStore(
                ConfigurableListableBeanFactory beans,
                Environment environment,
                LockProperties properties,
                ObjectProvider<LockConnectionDetails> details,
                ObjectProvider<SslBundles> bundles,
                ObjectProvider<RedisConnectionFactory> factories,
                @LockConnectionFactory ObjectProvider<RedisConnectionFactory> marked) {
            LockProperties.Redis redis = properties.redis();
            LockConnectionDetails own = details.getIfAvailable();
            String url = own == null ? redis.url() : own.getUrl();
            String source = own == null ? URL : "LockConnectionDetails.getUrl()";
            List<String> nodes = properties.quorum().nodes();
            if (url != null && nodes != null) {
                List<String> both = List.of(source, NODES);
                throw new MutuallyExclusiveConfigurationPropertiesException(both, both);
            }
            if (url != null || nodes != null) {
                refuseApplications(beans, properties, url == null ? NODES : source);
            }
            try {
                if (nodes != null) {
                    return quorum(nodes, properties, find(properties.quorum().ssl(), bundles));
                }
                RedisConnectionFactory factory = url == null
                        ? applications(beans, environment, redis, factories, marked)
                        : LockConnections.create(
                                source, url, own == null ? find(redis.ssl(), bundles) : own.getSslBundle());
                return new RedisLockStore(factory, redis.toSettings());
            } catch (IllegalArgumentException e) {
                throw new LockDefinitionException(
                        String.valueOf(e.getMessage()),
                        nodes == null
                                ? "Change the properties under holdfast.redis as described."
                                : "Set " + NODES
                                        + " to an odd number of independent servers, at least 3, each listed once,"
                                        + " such as redis1.example.com:6379,redis2.example.com:6379,redis3.example.com:6379.",
                        e);
            }
        }

        private static LockStore quorum(List<String> nodes, LockProperties properties, @Nullable SslBundle bundle) {
            LockProperties.Quorum quorum = properties.quorum();
            Duration delay = quorum.rejoinDelay() == null ? properties.lease() : quorum.rejoinDelay();
            if (properties.lease().compareTo(delay) > 0) {
                throw new InvalidConfigurationPropertyValueException(
                        "holdfast.quorum.rejoin-delay",
                        delay,
                        "It is shorter than holdfast.lease: a server that has lost its data could grant locks whose"
                                + " previous leases have not expired. It must be the longest lease in use.");
            }
            int replicas = properties.redis().replicaAcks().number();
            if (replicas > 0) {
                throw new InvalidConfigurationPropertyValueException(
                        "holdfast.redis.replica-acks.number", replicas, "A quorum does not wait for replicas.");
            }
            RedisLockSettings settings = properties
                    .redis()
                    .toSettings()
                    .withCommandTimeout(quorum.nodeTimeout())
                    .withRejoinDelay(delay);
            List<RedisConnectionFactory> servers = new ArrayList<>();
            for (int i = 0; i < nodes.size(); i++) { // before any store, which a failure here would leave open
                servers.add(LockConnections.create(NODES + "[" + i + "]", nodes.get(i), bundle));
            }
            List<QuorumNode> stores = new ArrayList<>();
            for (int i = 0; i < nodes.size(); i++) {
                stores.add(new QuorumNode(
                        LockConnections.name(NODES, nodes.get(i)), new RedisLockStore(servers.get(i), settings)));
            }
            return new QuorumLockStore(stores, delay);
        }

        private static RedisConnectionFactory applications(
                ConfigurableListableBeanFactory beans,
                Environment environment,
                LockProperties.Redis redis,
                ObjectProvider<RedisConnectionFactory> factories,
                ObjectProvider<RedisConnectionFactory> marked) {
            if (StringUtils.hasText(redis.ssl().bundle())) {
                throw new InvalidConfigurationPropertyValueException(
                        "holdfast.redis.ssl.bundle",
                        redis.ssl().bundle(),
                        "It applies to the server of holdfast.redis.url, which is not set.");
            }
            String[] names = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(
                    beans, RedisConnectionFactory.class, true, false);
            if (names.length == 0) {
                refuseUnread(environment);
                return LockConnections.create(URL, "redis://localhost", null);
            }
            try {
                List<String> marks = marked(beans);
                RedisConnectionFactory factory = marked.getIfAvailable(() -> marks.size() == 1
                        ? beans.getBean(marks.get(0), RedisConnectionFactory.class) // not a candidate for injection
                        : factories.getIfAvailable());
                if (factory != null) {
                    return factory;
                }
            } catch (NoUniqueBeanDefinitionException e) {
                // reported below, as if there were none
            }
            throw new LockDefinitionException(
                    "Locks need a single RedisConnectionFactory, but the application has: " + String.join(", ", names)
                            + ".",
                    "Annotate one of the beans with @LockConnectionFactory or @Primary.");
        }

        /** Otherwise locks would be kept on this machine, although the application names a server. */
        private static void refuseUnread(Environment environment) {
            Binder binder = Binder.get(environment);
            APPLICATIONS_SERVERS.stream()
                    .map("spring.data.redis."::concat)
                    .filter(name ->
                            binder.bind(name, Bindable.listOf(String.class)).isBound())
                    .findFirst()
                    .ifPresent(name -> {
                        throw new LockDefinitionException(
                                name + " is set, but there is no RedisConnectionFactory bean for it.",
                                "Set holdfast.redis.url to the server for locks, or add Spring Boot's Redis module,"
                                        + " org.springframework.boot:spring-boot-starter-data-redis.");
                    });
        }

        /** Rejects other settings of the application that specify where locks are kept, or that need the application's connections. */
        private static void refuseApplications(
                ConfigurableListableBeanFactory beans, LockProperties properties, String property) {
            if (properties.redis().driver() == RedisLockSettings.Driver.REDIS_TEMPLATE) {
                throw new InvalidConfigurationPropertyValueException(
                        "holdfast.redis.driver",
                        "redis-template",
                        "With " + property + ", locks do not use the application's connections.");
            }
            List<String> marks = marked(beans);
            if (!marks.isEmpty()) {
                throw new LockDefinitionException(
                        "Both " + property + " and @LockConnectionFactory on " + String.join(", ", marks)
                                + " specify where locks are kept.",
                        "Remove one of them.");
            }
        }

        /** Creates no bean. */
        private static List<String> marked(ConfigurableListableBeanFactory beans) {
            return Stream.of(beans.getBeanNamesForType(RedisConnectionFactory.class, true, false))
                    .filter(name -> beans.findAnnotationOnBean(name, LockConnectionFactory.class, false) != null)
                    .toList();
        }

        /** A blank name counts as unset, since {@code ${BUNDLE:}} is a common way to make a bundle optional. */
        private static @Nullable SslBundle find(LockProperties.Ssl ssl, ObjectProvider<SslBundles> bundles) {
            return StringUtils.hasText(ssl.bundle()) ? bundles.getObject().getBundle(ssl.bundle()) : null;
        }
    }
}
