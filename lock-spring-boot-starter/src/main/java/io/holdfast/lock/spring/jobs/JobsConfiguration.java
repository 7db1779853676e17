package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.spring.aop.JobCalls;
import io.holdfast.lock.spring.definition.LockOperationSource;
import java.time.Clock;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;

/** The rules of jobs, as a bean. Imported by the auto-configuration. */
@Configuration(proxyBeanMethods = false)
class JobsConfiguration {

    /** A bean of this name and type {@link Clock} takes the place of the system clock, for schedulers that use another. */
    private static final String CLOCK = "holdfastJobsClock";

    /**
     * Created for the first job, or when it is injected. Its declared type hides its lifecycle, since Spring creates even a lazy bean if it
     * is a {@link org.springframework.context.SmartLifecycle}.
     */
    @Bean(JobCalls.BEAN)
    @Lazy
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Jobs holdfastJobs(
            ConfigurableApplicationContext context, LockOperationSource operations, JobSettings settings) {
        Clock clock = context.containsBean(CLOCK) ? context.getBean(CLOCK, Clock.class) : Clock.systemUTC();
        JobRegistry jobs = new JobRegistry(context.getBeanFactory(), operations, settings, clock);
        if (context.isRunning()) { // its start is over
            jobs.start();
        }
        return jobs;
    }
}
