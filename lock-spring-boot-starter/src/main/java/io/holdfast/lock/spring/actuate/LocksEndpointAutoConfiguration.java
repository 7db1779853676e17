package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.aop.LockAdvisor;
import io.holdfast.lock.spring.autoconfigure.LockAopAutoConfiguration;
import io.holdfast.lock.spring.autoconfigure.LockAutoConfiguration;
import io.holdfast.lock.spring.leader.LeaderRoles;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** {@code /actuator/locks}, where the endpoint is exposed. */
@AutoConfiguration(after = {LockAutoConfiguration.class, LockAopAutoConfiguration.class})
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean({LockTemplate.class, LockAdvisor.class})
@ConditionalOnAvailableEndpoint(LocksEndpoint.class)
@EnableConfigurationProperties(LocksEndpointProperties.class)
public final class LocksEndpointAutoConfiguration {

    @Bean
    LocksEndpoint holdfastLocksEndpoint(
            ObjectProvider<LockTemplate> locks,
            ObjectProvider<LockActivity> activity,
            ConfigurableListableBeanFactory beans,
            LockAdvisor advisor,
            ObjectProvider<LeaderRoles> roles,
            LocksEndpointProperties properties) {
        LockedMethods methods = new LockedMethods(beans, advisor);
        return new LocksEndpoint(
                locks::getObject,
                activity::getIfUnique,
                methods::all,
                new LeaderReport(roles::getIfUnique),
                properties.showKeys());
    }

    @Bean
    @ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class, exposure = EndpointExposure.WEB)
    LocksEndpointWebExtension holdfastLocksEndpointWebExtension(
            LocksEndpoint endpoint, LocksEndpointProperties properties) {
        return new LocksEndpointWebExtension(endpoint, properties);
    }
}
