package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.quorum.QuorumLockStore;
import io.holdfast.lock.quorum.QuorumNode;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.annotation.LockConnectionFactory;
import io.holdfast.lock.store.LockStore;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
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
import org.springframework.data.redis.core.RedisTemplate;
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

        private static final String TEMPLATE = "holdfastRedisTemplate";
        private static final String NODES = "holdfast.quorum.nodes";
        private static final String URL = "holdfast.redis.url";
        private static final String DETAILS = "the bean of type LockConnectionDetails";
        private static final String SETTINGS = "Change the properties under holdfast.redis as described.";
        private static final String SERVERS =
                "Set " + NODES + " to an odd number of independent servers, at least 3, each"
                        + " listed once, such as redis1.example.com:6379,redis2.example.com:6379,redis3.example.com:6379.";
        private static final List<String> APPLICATIONS_SERVERS =
                List.of("url", "host", "port", "sentinel.nodes", "cluster.nodes", "masterreplica.nodes");

        /**
         * The template through which locks reach Redis. Not a candidate for injection by type, so the application's own templates, and
         * conditions on them, are unaffected. An application replaces it with a bean of the same name.
         */
        @Configuration(proxyBeanMethods = false)
        @ConditionalOnMissingBean(name = TEMPLATE)
        static class Template {

            @Bean(name = TEMPLATE, defaultCandidate = false)
            @Lazy
            RedisTemplate<byte[], byte[]> holdfastRedisTemplate(
                    ConfigurableListableBeanFactory beans,
                    LockProperties properties,
                    ObjectProvider<LockConnectionDetails> details,
                    ObjectProvider<RedisConnectionFactory> factories,
                    @LockConnectionFactory ObjectProvider<RedisConnectionFactory> marked) {
                LockProperties.Redis redis = properties.redis();
                LockConnectionDetails own = details.getIfAvailable();
                if (own != null) { // before all properties that specify where locks are kept
                    return checked(
                            "Change that bean as described.",
                            () -> RedisLockStore.template(
                                    LockConnections.create(DETAILS, own),
                                    redis.toSettings().withConnection(RedisLockSettings.Connection.AUTO)));
                }
                String url = redis.url();
                return checked(
                        SETTINGS,
                        () -> RedisLockStore.template(
                                url == null
                                        ? applications(beans, redis, factories, marked)
                                        : create(URL, url, find(redis.ssl(), beans)),
                                redis.toSettings()));
            }
        }

        @Bean
        @Lazy
        LockStore holdfastLockStore(
                ConfigurableListableBeanFactory beans,
                LockProperties properties,
                ObjectProvider<LockConnectionDetails> details) {
            boolean isOwn = details.getIfAvailable() != null;
            List<String> nodes = isOwn ? null : properties.quorum().nodes();
            requireOnePlace(beans, properties, isOwn);
            return checked(
                    nodes == null ? SETTINGS : SERVERS,
                    () -> nodes != null
                            ? quorum(nodes, properties, find(properties.quorum().ssl(), beans))
                            : new RedisLockStore(
                                    beans.getBean(TEMPLATE, RedisTemplate.class),
                                    properties.redis().toSettings()));
        }

        private static <T> T checked(String action, Supplier<T> creation) {
            try {
                return creation.get();
            } catch (IllegalArgumentException e) {
                throw new LockConfigurationException(String.valueOf(e.getMessage()), action, e);
            }
        }

        private static RedisConnectionFactory create(String property, String url, @Nullable SslBundle bundle) {
            PropertiesLockConnectionDetails server = PropertiesLockConnectionDetails.of(property, url, bundle);
            return LockConnections.create(server.toString(), server);
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
            int replicas = properties.redis().replicaAcks().count();
            if (replicas > 0) {
                throw new InvalidConfigurationPropertyValueException(
                        "holdfast.redis.replica-acks.count", replicas, "A quorum does not wait for replicas.");
            }
            RedisLockSettings settings = properties
                    .redis()
                    .toSettings()
                    .withCommandTimeout(quorum.commandTimeout())
                    .withRejoinDelay(delay);
            List<PropertiesLockConnectionDetails> servers = IntStream.range(0, nodes.size())
                    .mapToObj(i -> PropertiesLockConnectionDetails.of(NODES + "[" + i + "]", nodes.get(i), bundle))
                    .toList();
            return new QuorumLockStore(
                    servers.stream() // all URLs are valid before any store exists
                            .map(server -> new QuorumNode(
                                    server.toString(),
                                    new RedisLockStore(LockConnections.create(server.toString(), server), settings)))
                            .toList(),
                    delay);
        }

        private static RedisConnectionFactory applications(
                ConfigurableListableBeanFactory beans,
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
                refuseUnread(beans);
                return create(URL, "redis://localhost", null);
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
            throw new LockConfigurationException(
                    "Locks need a single RedisConnectionFactory, but the application has: " + String.join(", ", names)
                            + ".",
                    "Mark the one for locks with @LockConnectionFactory and @Bean(defaultCandidate = false), or the one"
                            + " for everything with @Primary.");
        }

        /** Otherwise locks would be kept on this machine, although the application names a server. */
        private static void refuseUnread(BeanFactory beans) {
            Binder binder = Binder.get(beans.getBean(Environment.class));
            APPLICATIONS_SERVERS.stream()
                    .map("spring.data.redis."::concat)
                    .filter(name ->
                            binder.bind(name, Bindable.listOf(String.class)).isBound())
                    .findFirst()
                    .ifPresent(name -> {
                        throw new LockConfigurationException(
                                name + " is set, but there is no RedisConnectionFactory bean for it.",
                                "Set holdfast.redis.url to the server for locks, or add Spring Boot's Redis module,"
                                        + " org.springframework.boot:spring-boot-starter-data-redis.");
                    });
        }

        /**
         * Rejects settings of which one would have no effect.
         *
         * @param isOwn whether there are details, which precede all settings, but not a template of the application
         */
        private static void requireOnePlace(
                ConfigurableListableBeanFactory beans, LockProperties properties, boolean isOwn) {
            String url = !isOwn && properties.redis().url() != null ? URL : null;
            String nodes = isOwn || properties.quorum().nodes() == null ? null : NODES;
            if (url != null && nodes != null) {
                List<String> both = List.of(URL, NODES);
                throw new MutuallyExclusiveConfigurationPropertiesException(both, both);
            }
            String property = url == null ? nodes : url;
            String template = beans.getBeanNamesForType(Template.class).length == 0 ? "the bean " + TEMPLATE : null;
            String marks = isOwn ? "" : String.join(", ", marked(beans));
            List<String> places = Stream.of(
                            isOwn ? DETAILS : property,
                            template,
                            marks.isEmpty() ? null : "@LockConnectionFactory on " + marks)
                    .flatMap(Stream::ofNullable)
                    .toList();
            if (places.size() > 1) {
                throw new LockConfigurationException(
                        "Both " + places.get(0) + " and " + places.get(1) + " specify where locks are kept.",
                        "Remove one of them.");
            }
            switch (properties.redis().connection()) {
                case APPLICATION -> refuse(property, "application", "do not use the application's connections");
                case DEDICATED -> refuse(template, "dedicated", "use its connections");
                default -> {}
            }
        }

        private static void refuse(@Nullable String place, String connection, String effect) {
            if (place != null) {
                throw new InvalidConfigurationPropertyValueException(
                        "holdfast.redis.connection", connection, "With " + place + ", locks " + effect + '.');
            }
        }

        /** Creates no bean. */
        private static List<String> marked(ConfigurableListableBeanFactory beans) {
            return Stream.of(beans.getBeanNamesForType(RedisConnectionFactory.class, true, false))
                    .filter(name -> beans.findAnnotationOnBean(name, LockConnectionFactory.class, false) != null)
                    .toList();
        }

        /** A blank name counts as unset, since {@code ${BUNDLE:}} is a common way to make a bundle optional. */
        private static @Nullable SslBundle find(LockProperties.Ssl ssl, BeanFactory beans) {
            return StringUtils.hasText(ssl.bundle())
                    ? beans.getBean(SslBundles.class).getBundle(ssl.bundle())
                    : null;
        }
    }
}
