package io.holdfast.lock.spring.guest;

import java.util.Comparator;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * An application that tells what it is made of, in a JVM of its own: its beans, with their types, the auto-configurations
 * that apply, and its health. It needs Spring Boot, and nothing else that is not there.
 */
final class Report {

    private Report() {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @AutoConfigurationPackage(basePackages = "example.orders")
    static class Application {

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(name = "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration")
        @EnableCaching
        static class Caching {}
    }

    public static void main(String[] properties) {
        SpringApplicationBuilder application = new SpringApplicationBuilder(Application.class).properties(properties);
        if (!isPresent("org.springframework.web.context.WebApplicationContext")) {
            application.web(WebApplicationType.NONE);
        }
        Set<String> lines = new TreeSet<>(Comparator.naturalOrder());
        try (ConfigurableApplicationContext context = application.run()) {
            beans(context, lines);
            conditions(context, lines);
            if (isPresent("io.holdfast.lock.api.LockTemplate")) {
                Locks.add(context, lines);
            }
            if (isPresent("example.orders.Orders")) {
                Repository.add(context, lines);
            }
            if (isPresent("org.springframework.boot.health.actuate.endpoint.HealthEndpoint")) {
                Health.add(context, lines);
            }
        }
        lines.forEach(line -> System.out.println("REPORT " + line));
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, Report.class.getClassLoader());
    }

    private static void beans(ConfigurableApplicationContext context, Set<String> lines) {
        BeanDefinitionRegistry registry = (BeanDefinitionRegistry) context.getBeanFactory();
        for (String name : registry.getBeanDefinitionNames()) {
            Class<?> type = context.getType(name, false);
            lines.add("bean " + name + ": " + (type == null ? "?" : nameOf(ClassUtils.getUserClass(type))));
        }
        if (isPresent("org.springframework.data.redis.connection.RedisConnectionFactory")) {
            Redis.add(context, lines);
        }
    }

    /** Without numbers that differ from run to run. */
    private static String nameOf(Class<?> type) {
        return type.getName().replaceAll("(Lambda|Proxy)[$0-9].*", "$1");
    }

    /** Loaded only where there is Spring Data Redis. */
    private static final class Redis {

        static void add(ConfigurableApplicationContext context, Set<String> lines) {
            context.getBeansOfType(RedisConnectionFactory.class)
                    .forEach((name, factory) -> lines.add("connections " + name + ": " + kind(factory)));
        }

        private static String kind(RedisConnectionFactory factory) {
            return factory instanceof LettuceConnectionFactory lettuce
                    ? lettuce.getClientConfiguration().getClass().getSimpleName()
                    : factory.getClass().getSimpleName();
        }
    }

    /** Loaded only where the starter is. */
    private static final class Locks {

        static void add(ConfigurableApplicationContext context, Set<String> lines) {
            try (var lock =
                    context.getBean(io.holdfast.lock.api.LockTemplate.class).acquire("guest")) {
                String store = String.valueOf(context.getBean(io.holdfast.lock.store.LockStore.class));
                lines.add("locks "
                        + store.replaceAll(".*(over (dedicated connections|connections of the application)).*", "$1")
                        + (lock.fencingToken() > 0 ? "" : ", without a token"));
            }
        }
    }

    /** Loaded only where there is one. */
    private static final class Repository {

        static void add(ConfigurableApplicationContext context, Set<String> lines) {
            var orders = context.getBean(example.orders.Orders.class);
            String id = String.valueOf(ProcessHandle.current().pid());
            orders.save(new example.orders.Order(id, "pen"));
            lines.add("repository has a " + orders.findById(id).orElseThrow().article());
            orders.deleteById(id);
        }
    }

    private static void conditions(ConfigurableApplicationContext context, Set<String> lines) {
        ConditionEvaluationReport report = ConditionEvaluationReport.get(context.getBeanFactory());
        report.getConditionAndOutcomesBySource().forEach((source, outcomes) -> {
            if (outcomes.isFullMatch()) {
                lines.add("applies " + source);
            }
        });
    }

    /** Loaded only where there is an actuator. */
    private static final class Health {

        static void add(ConfigurableApplicationContext context, Set<String> lines) {
            var endpoint = context.getBeanProvider(
                            org.springframework.boot.health.actuate.endpoint.HealthEndpoint.class)
                    .getIfAvailable();
            if (endpoint != null
                    && endpoint.health()
                            instanceof org.springframework.boot.health.actuate.endpoint.CompositeHealthDescriptor all) {
                lines.add("health: " + all.getStatus());
                all.getComponents().forEach((name, part) -> lines.add("health " + name + ": " + part.getStatus()));
            }
        }
    }
}
