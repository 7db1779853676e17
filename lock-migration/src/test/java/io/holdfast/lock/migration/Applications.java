package io.holdfast.lock.migration;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/**
 * Spring Boot applications on the shared Redis. They are configured as Boot does it with what is on the class path, but for
 * those of the libraries that the application does not have.
 */
public final class Applications {

    private static final String HOLDFAST = "io.holdfast.";
    private static final String LOCK4J = "com.baomidou.";

    private Applications() {}

    /** Without any lock that configures itself. */
    public static ApplicationContextRunner plain() {
        return without(HOLDFAST, LOCK4J);
    }

    public static ApplicationContextRunner holdfast() {
        return without(LOCK4J).withPropertyValues("holdfast.redis.command-timeout=30s");
    }

    public static ApplicationContextRunner lock4j() {
        return without(HOLDFAST);
    }

    public static ApplicationContextRunner holdfastAndLock4j() {
        return without().withPropertyValues("holdfast.redis.command-timeout=30s");
    }

    private static ApplicationContextRunner without(String... libraries) {
        ImportCandidates all = ImportCandidates.load(AutoConfiguration.class, Applications.class.getClassLoader());
        String excluded = StreamSupport.stream(all.spliterator(), false)
                .filter(name -> Arrays.stream(libraries).anyMatch(name::startsWith))
                .collect(Collectors.joining(","));
        return new ApplicationContextRunner()
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "spring.autoconfigure.exclude=" + excluded,
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + Redis.port(),
                        "spring.data.redis.client-type=jedis");
    }

    /** With settings that a page shows. */
    public static ApplicationContextRunner configured(ApplicationContextRunner application, String file) {
        return application
                .withPropertyValues("spring.config.location=classpath:/io/holdfast/lock/migration/" + file)
                .withInitializer(new ConfigDataApplicationContextInitializer());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
