package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.definition.LockOperationSource;
import io.holdfast.lock.spring.jobs.JobRegistry;
import io.holdfast.lock.spring.jobs.JobSettings;
import io.holdfast.lock.store.LockStore;
import java.time.Clock;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Role;

/** Jobs that run once for each fire time. Without jobs, nothing is started. */
@AutoConfiguration(after = LockAopAutoConfiguration.class)
@LocksEnabled
public final class LockJobsAutoConfiguration {

    /** A bean of this name and type {@link Clock} takes the place of the system clock, for schedulers that use another. */
    static final String CLOCK = "holdfastJobsClock";

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static JobRegistry holdfastJobs(
            ConfigurableListableBeanFactory beans,
            LockOperationSource operations,
            ObjectProvider<LockStore> stores,
            ObjectProvider<LockProperties> properties) {
        return new JobRegistry(
                beans,
                operations,
                () -> {
                    LockProperties known = properties.getObject();
                    LockStore store = stores.getIfUnique(); // none: the application has its own template
                    return new JobSettings(
                            known.jobs().history(),
                            known.jobs().keep(),
                            known.lease(),
                            store == null || store.keepsData(),
                            (int) known.maxDataSize().toBytes());
                },
                () -> beans.containsBean(CLOCK) ? beans.getBean(CLOCK, Clock.class) : Clock.systemUTC());
    }
}
