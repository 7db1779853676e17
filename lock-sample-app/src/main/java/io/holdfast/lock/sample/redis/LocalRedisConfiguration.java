package io.holdfast.lock.sample.redis;

import java.nio.file.Path;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

@Configuration(proxyBeanMethods = false)
class LocalRedisConfiguration {

    @Bean
    static LocalRedis localRedis(Environment environment) {
        return new LocalRedis(Path.of(environment.getRequiredProperty("shop.directory")));
    }
}
