package io.holdfast.lock.spring.autoconfigure;

import java.util.List;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.Assert;

/**
 * Whether there is any connection factory, also one that is no default candidate, which {@code @ConditionalOnBean} does
 * not see.
 */
final class OnRedisConnectionFactory extends SpringBootCondition implements ConfigurationCondition {

    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        var beans = context.getBeanFactory();
        Assert.state(beans != null, "A bean factory is needed to look for RedisConnectionFactory beans");
        List<String> names = ConnectionFactories.names(beans);
        var message = ConditionMessage.forCondition("RedisConnectionFactory");
        return names.isEmpty()
                ? ConditionOutcome.noMatch(message.didNotFind("any bean").atAll())
                : ConditionOutcome.match(message.found("bean", "beans").items(names));
    }
}
