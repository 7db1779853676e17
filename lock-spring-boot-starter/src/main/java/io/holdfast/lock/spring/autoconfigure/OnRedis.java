package io.holdfast.lock.spring.autoconfigure;

import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.Assert;

/**
 * Whether locks have a Redis: their own, by {@link LockConnectionProperties}, or the application's, by any connection
 * factory, also one that is no default candidate, which {@code @ConditionalOnBean} does not see.
 */
final class OnRedis extends SpringBootCondition implements ConfigurationCondition {

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        var message = ConditionMessage.forCondition("Redis for locks");
        List<String> own = Binder.get(context.getEnvironment())
                .bind("lock.redis", LockConnectionProperties.class)
                .map(LockConnectionProperties::given)
                .orElse(List.of());
        if (!own.isEmpty()) {
            return ConditionOutcome.match(
                    message.found("property", "properties").items(own));
        }
        var beans = context.getBeanFactory();
        Assert.state(beans != null, "A bean factory is needed to look for RedisConnectionFactory beans");
        List<String> names = ConnectionFactories.names(beans);
        return names.isEmpty()
                ? ConditionOutcome.noMatch(
                        message.didNotFind("connection factory").atAll())
                : ConditionOutcome.match(message.found("connection factory", "connection factories")
                        .items(names));
    }
}
