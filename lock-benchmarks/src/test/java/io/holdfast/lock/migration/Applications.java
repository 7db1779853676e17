package io.holdfast.lock.migration;

import java.util.stream.StreamSupport;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.ClassUtils;

/** Spring Boot applications on the shared Redis. */
public final class Applications {

    private Applications() {}

    /** Without any lock. */
    public static ApplicationContextRunner plain() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class, DataRedisAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + Redis.port(),
                        "spring.data.redis.client-type=jedis");
    }

    /** With the starter, as its imports file registers it. */
    public static ApplicationContextRunner holdfast() {
        return withHoldfast(plain());
    }

    public static ApplicationContextRunner withHoldfast(ApplicationContextRunner application) {
        ClassLoader loader = Applications.class.getClassLoader();
        ImportCandidates all = ImportCandidates.load(AutoConfiguration.class, loader);
        Class<?>[] ours = StreamSupport.stream(all.spliterator(), false)
                .filter(name -> name.startsWith("io.holdfast."))
                .map(name -> ClassUtils.resolveClassName(name, loader))
                .toArray(Class<?>[]::new);
        return application.withConfiguration(AutoConfigurations.of(ours));
    }

    /** With settings that a page shows. */
    public static ApplicationContextRunner configured(ApplicationContextRunner application, String file) {
        return application
                .withPropertyValues("spring.config.location=classpath:/io/holdfast/lock/migration/" + file)
                .withInitializer(new ConfigDataApplicationContextInitializer());
    }
}
