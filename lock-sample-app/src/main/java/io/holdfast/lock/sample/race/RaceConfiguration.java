package io.holdfast.lock.sample.race;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class RaceConfiguration {

    @Bean
    @ConditionalOnMissingBean
    Thinking thinking(@Value("${shop.race.think-millis:1}") long millis) {
        return () -> Thread.sleep(millis);
    }
}
