package io.holdfast.lock.spring.autoconfigure.actuate;

import io.holdfast.lock.api.AllLocks;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.autoconfigure.LockAopAutoConfiguration;
import io.holdfast.lock.spring.autoconfigure.LockAutoConfiguration;
import io.holdfast.lock.spring.definition.LockOperationSource;
import io.holdfast.lock.spring.jobs.JobStatus;
import io.holdfast.lock.spring.jobs.Jobs;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * {@code /actuator/locks}, if the endpoint is exposed. An application replaces each of its beans by one of the same name; its own endpoint
 * gets no operations from here.
 */
@AutoConfiguration(after = {LockAutoConfiguration.class, LockAopAutoConfiguration.class})
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean({LockTemplate.class, LockOperationSource.class})
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
@EnableConfigurationProperties(LocksEndpointProperties.class)
@ConditionalOnBooleanProperty(name = "holdfast.enabled", matchIfMissing = true)
@RegisterReflectionForBinding(LocksDescriptors.Problem.class) // no method returns it by this type
public final class LocksEndpointAutoConfiguration {

    /** The interval between scans, no matter how many pages are open. */
    private static final Duration SCAN_INTERVAL = Duration.ofSeconds(2);

    @Bean
    @ConditionalOnMissingBean(name = "holdfastLocksEndpoint")
    LocksEndpoint holdfastLocksEndpoint(
            ConfigurableListableBeanFactory beans,
            LockOperationSource operations,
            LocksEndpointProperties properties,
            ObjectProvider<Jobs> jobs,
            Environment environment) {
        Supplier<List<JobStatus>> scan =
                () -> jobs.stream().flatMap(each -> each.list().stream()).toList();
        return new LocksEndpoint(
                beans,
                operations,
                properties.showKeys(),
                properties.showData(),
                environment.getProperty("holdfast.mask-keys", Boolean.class, false),
                new SharedScan<>(scan, SCAN_INTERVAL));
    }

    @Bean
    @ConditionalOnBean(LocksEndpoint.class)
    @ConditionalOnMissingBean(name = "holdfastLocksReport")
    LocksReport holdfastLocksReport(
            LocksEndpoint endpoint, ObjectProvider<AllLocks> allLocks, LocksEndpointProperties properties) {
        Supplier<SharedScan.Result> scan = () -> SharedScan.Result.of(allLocks.getIfUnique());
        return new LocksReport(endpoint, new SharedScan<>(scan, SCAN_INTERVAL), properties.showKeys());
    }

    @Bean
    @ConditionalOnBean({LocksEndpoint.class, LocksReport.class})
    @ConditionalOnMissingBean(name = "holdfastLocksEndpointWebExtension")
    @ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class, exposure = EndpointExposure.WEB)
    LocksEndpointWebExtension holdfastLocksEndpointWebExtension(
            LocksEndpoint endpoint,
            LocksEndpointProperties properties,
            LocksReport report,
            ObjectProvider<EndpointAccessResolver> access) {
        Supplier<String> page = SingletonSupplier.of(() -> LocksPage.html(isWritable(access)));
        return new LocksEndpointWebExtension(endpoint, properties, report, page);
    }

    private static boolean isWritable(ObjectProvider<EndpointAccessResolver> access) {
        EndpointAccessResolver resolver = access.getIfUnique();
        return resolver != null && resolver.accessFor(EndpointId.of("locks"), Access.READ_ONLY) == Access.UNRESTRICTED;
    }
}
