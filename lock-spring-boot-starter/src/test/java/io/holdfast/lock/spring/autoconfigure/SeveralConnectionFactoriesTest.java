package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.LockConnectionFactory;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Primary;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveRedisTemplate;
import org.springframework.data.redis.core.RedisTemplate;
import redis.clients.jedis.Jedis;

/** The shared server is the wrong one; the right one has a port of its own. */
@Timeout(60)
class SeveralConnectionFactoriesTest {

    private static RedisServerProcess right;

    @BeforeAll
    static void start() {
        right = RedisServerProcess.start();
    }

    @AfterAll
    static void stop() {
        right.close();
    }

    private static RedisConnectionFactory toRight() {
        return TestRedis.jedis(right.port());
    }

    private static RedisConnectionFactory toWrong() {
        return TestRedis.jedis(TestRedis.shared().port());
    }

    @Configuration(proxyBeanMethods = false)
    static class Wrong {
        @Bean
        RedisConnectionFactory wrong() {
            return toWrong();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WrongPrimary {
        @Bean
        @Primary
        RedisConnectionFactory wrong() {
            return toWrong();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class WrongFallback {
        @Bean
        @Fallback
        RedisConnectionFactory wrong() {
            return toWrong();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Plain {
        @Bean
        RedisConnectionFactory plain() {
            return toRight();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnlyPrimary {
        @Bean
        @Primary
        RedisConnectionFactory primary() {
            return toRight();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {
        @Bean
        @LockConnectionFactory
        RedisConnectionFactory marked() {
            return toRight();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedAside {
        @Bean(defaultCandidate = false)
        @LockConnectionFactory
        RedisConnectionFactory marked() {
            return toRight();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Aside {
        @Bean(defaultCandidate = false)
        RedisConnectionFactory aside() {
            return toWrong();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedTwice {
        @Bean
        @LockConnectionFactory
        RedisConnectionFactory one() {
            return toRight();
        }

        @Bean
        @LockConnectionFactory
        RedisConnectionFactory two() {
            return toRight();
        }
    }

    /** As the page on properties shows it: one factory for locks, and the application's own, which Boot uses. */
    @Configuration(proxyBeanMethods = false)
    static class OfThePage {
        @Bean
        LettuceConnectionFactory application() {
            return new LettuceConnectionFactory("127.0.0.1", TestRedis.shared().port());
        }

        @Bean(defaultCandidate = false)
        @LockConnectionFactory
        LettuceConnectionFactory locks() {
            return new LettuceConnectionFactory("127.0.0.1", right.port());
        }
    }

    private final String key = "several-" + UUID.randomUUID();

    private void locksOnTheRightServer(ApplicationContextRunner runner) {
        runner.withPropertyValues("holdfast.redis.command-timeout=30s").run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(LockTemplate.class).execute(key, () -> {
                try (Jedis jedis = TestRedis.administrator(right.port())) {
                    assertThat(jedis.exists("holdfast:{" + key + "}")).isTrue();
                }
            });
        });
    }

    @Test
    void marked_factory_wins_over_the_primary() {
        locksOnTheRightServer(Runners.redis().withUserConfiguration(WrongPrimary.class, Marked.class));
    }

    @Test
    void marked_factory_wins_also_if_it_is_no_default_candidate() {
        locksOnTheRightServer(Runners.redis().withUserConfiguration(MarkedAside.class));
    }

    @Test
    void marked_factory_wins_also_if_it_is_no_candidate_for_injection() {
        locksOnTheRightServer(Runners.starter()
                .withUserConfiguration(Wrong.class)
                .withBean(
                        "hidden",
                        MarkedFactory.class,
                        () -> new MarkedFactory(right.port()),
                        bean -> bean.setAutowireCandidate(false)));
    }

    @LockConnectionFactory
    static class MarkedFactory extends JedisConnectionFactory {
        MarkedFactory(int port) {
            super(new RedisStandaloneConfiguration("127.0.0.1", port));
        }
    }

    @Test
    void marked_factory_is_enough_even_if_it_is_the_only_one_and_no_default_candidate() {
        locksOnTheRightServer(Runners.starter().withUserConfiguration(MarkedAside.class));
    }

    @Test
    void qualifier_of_a_bean_definition_counts_as_a_mark() {
        locksOnTheRightServer(Runners.starter()
                .withUserConfiguration(Wrong.class)
                .withInitializer(context -> {
                    RootBeanDefinition definition = new RootBeanDefinition(
                            RedisConnectionFactory.class, SeveralConnectionFactoriesTest::toRight);
                    definition.addQualifier(new AutowireCandidateQualifier(LockConnectionFactory.class));
                    ((GenericApplicationContext) context).registerBeanDefinition("qualified", definition);
                }));
    }

    @Test
    void primary_factory_is_used_where_none_is_marked() {
        locksOnTheRightServer(Runners.starter().withUserConfiguration(Wrong.class, OnlyPrimary.class));
    }

    @Test
    void fallback_factory_is_not_used_next_to_a_regular_one() {
        locksOnTheRightServer(Runners.starter().withUserConfiguration(WrongFallback.class, Plain.class));
    }

    @Test
    void factory_that_is_no_default_candidate_is_not_used_without_a_mark() {
        locksOnTheRightServer(Runners.starter().withUserConfiguration(Aside.class, Plain.class));
    }

    @Test
    void registered_instance_is_used() {
        locksOnTheRightServer(Runners.starter()
                .withInitializer(context -> context.getBeanFactory().registerSingleton("instance", toRight())));
    }

    @Test
    void unclear_choice_fails_startup_and_names_the_candidates() {
        Runners.starter()
                .withUserConfiguration(Wrong.class, Plain.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("wrong, plain", "@LockConnectionFactory", "@Primary"));
    }

    @Test
    void two_factories_of_the_page_leave_the_templates_of_spring_boot_to_the_application() {
        ApplicationContextRunner runner = Runners.redis()
                .withConfiguration(AutoConfigurations.of(DataRedisReactiveAutoConfiguration.class))
                .withUserConfiguration(OfThePage.class);
        locksOnTheRightServer(runner);
        runner.run(context -> {
            Object own = context.getBean("application");
            assertThat(context.getBean("redisTemplate", RedisTemplate.class).getConnectionFactory())
                    .isSameAs(own);
            assertThat(context.getBean("reactiveRedisTemplate", ReactiveRedisTemplate.class)
                            .getConnectionFactory())
                    .isSameAs(own);
        });
    }

    @Test
    void two_marks_fail_startup() {
        Runners.starter()
                .withUserConfiguration(MarkedTwice.class)
                .run(context -> assertThat(Startup.failureOf(context)).contains("one, two"));
    }
}
