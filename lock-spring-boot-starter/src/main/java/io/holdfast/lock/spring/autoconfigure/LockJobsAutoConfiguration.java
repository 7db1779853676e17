package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.jobs.JobSettings;
import io.holdfast.lock.store.LockStore;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportSelector;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.type.AnnotationMetadata;

/** Jobs that run once for each fire time. Without jobs, nothing is started. */
@AutoConfiguration(after = LockAopAutoConfiguration.class)
@LocksEnabled
@Import(LockJobsAutoConfiguration.Rules.class)
public final class LockJobsAutoConfiguration {

    /** The configuration of the package is not public, nor are its types, except those for applications. */
    static final class Rules implements ImportSelector {

        @Override
        public String[] selectImports(AnnotationMetadata importing) {
            return new String[] {"io.holdfast.lock.spring.jobs.JobsConfiguration"};
        }
    }

    /** Created for the first job. */
    @Bean
    @Lazy
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static JobSettings holdfastJobSettings(ObjectProvider<LockStore> stores, LockProperties properties) {
        LockStore store = stores.getIfUnique(); // none: the application has its own template
        return new JobSettings(
                properties.jobs().history(),
                properties.jobs().keep(),
                properties.lease(),
                store == null || store.keepsData(),
                (int) properties.maxDataSize().toBytes());
    }
}
