package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.LockConnectionFactory;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.TestRedis;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.core.StringRedisTemplate;

/** The bean holdfastRedisTemplate: ours, and one of the application. */
@Timeout(120)
class OwnTemplateTest {

    static final String NAME = "holdfastRedisTemplate";

    private static final class CountingTemplate extends RedisTemplate<String, Object> {

        private final AtomicInteger calls = new AtomicInteger();

        @Override
        public <T extends @Nullable Object> T execute(
                RedisCallback<T> action, boolean exposeConnection, boolean pipeline) {
            calls.incrementAndGet();
            return super.execute(action, exposeConnection, pipeline);
        }
    }

    /** On a server that nobody else in the application knows. */
    private static CountingTemplate template(TestRedis.Client client) {
        CountingTemplate template = new CountingTemplate();
        template.setConnectionFactory(client.connect(TestRedis.shared().port()));
        template.setEnableTransactionSupport(true);
        return template;
    }

    @ParameterizedTest
    @EnumSource
    void template_of_the_application_is_the_way_to_redis(TestRedis.Client client) {
        CountingTemplate own = template(client);
        var runner = Runners.starter().withPropertyValues("holdfast.redis.command-timeout=30s");
        runner.withBean(NAME, CountingTemplate.class, () -> own).run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(LockTemplate.class)
                    .execute("own-template", () -> assertThat(own.calls).hasPositiveValue());
            assertThat(context.getBean(LockStore.class).toString()).contains("over connections of the application's ");
        });
        TestRedis.destroy(own.getRequiredConnectionFactory());
    }

    @Test
    void ours_is_nobody_elses() {
        Runners.redis().withUserConfiguration(OwnConnectionTest.Templates.class).run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(LockTemplate.class).execute("ours", () -> {});
            Map<String, RedisTemplate> templates = context.getBeansOfType(RedisTemplate.class);
            assertThat(templates).containsKeys("redisTemplate", "stringRedisTemplate", NAME);
            assertThat(context.getBeanProvider(StringRedisTemplate.class).getIfUnique())
                    .isNotNull();
            assertThat(context.getBean(OwnConnectionTest.Templates.class).injected().stream())
                    .doesNotContain(context.getBean(NAME, RedisTemplate.class));
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Own {

        @Bean(defaultCandidate = false)
        RedisTemplate<byte[], byte[]> holdfastRedisTemplate(RedisConnectionFactory any) {
            RedisTemplate<byte[], byte[]> template = new RedisTemplate<>();
            template.setConnectionFactory(any);
            return template;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"holdfast.redis.url=redis://127.0.0.1", "holdfast.quorum.nodes=a:1,b:1,c:1"})
    void template_and_another_server_are_two_places(String property) {
        Runners.redis()
                .withUserConfiguration(Own.class)
                .withPropertyValues(property)
                .run(context -> assertThat(Startup.failureOf(context))
                        .startsWith("Both " + property.split("=")[0] + " and the bean " + NAME
                                + " specify where locks are kept."));
    }

    @Test
    void template_and_a_marked_factory_are_two_places() {
        Runners.redis()
                .withUserConfiguration(Own.class, Marked.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .startsWith("Both the bean " + NAME + " and @LockConnectionFactory on marked"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {

        @Bean(defaultCandidate = false)
        @LockConnectionFactory
        RedisConnectionFactory marked() {
            return TestRedis.Client.JEDIS.connect(TestRedis.shared().port());
        }
    }

    @Test
    void template_is_not_combined_with_dedicated_connections() {
        Runners.redis()
                .withUserConfiguration(Own.class)
                .withPropertyValues("holdfast.redis.connection=dedicated")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("With the bean " + NAME + ", locks use its connections."));
    }
}
