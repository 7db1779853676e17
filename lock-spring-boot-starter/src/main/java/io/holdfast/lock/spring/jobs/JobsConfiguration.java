package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.spring.definition.LockOperationSource;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/** The rules of jobs, as a bean. Imported by the auto-configuration. */
@Configuration(proxyBeanMethods = false)
class JobsConfiguration {

    /** A bean of this name and type {@link Clock} takes the place of the system clock, for schedulers that use another. */
    private static final String CLOCK = "holdfastJobsClock";

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static JobRegistry holdfastJobs(
            ConfigurableListableBeanFactory beans,
            LockOperationSource operations,
            ObjectProvider<JobSettings> settings) {
        return new JobRegistry(
                beans,
                operations,
                settings::getObject,
                () -> beans.containsBean(CLOCK) ? beans.getBean(CLOCK, Clock.class) : Clock.systemUTC());
    }
}
