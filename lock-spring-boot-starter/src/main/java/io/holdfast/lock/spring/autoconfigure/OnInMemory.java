package io.holdfast.lock.spring.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Whether locks are to be kept in memory, in whatever way the value may be written ({@code IN_MEMORY}, {@code inMemory}). */
final class OnInMemory extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        LockProperties.Store store = Binder.get(context.getEnvironment())
                .bind("holdfast.store", LockProperties.Store.class)
                .orElse(LockProperties.Store.REDIS);
        var message = ConditionMessage.forCondition("Lock store").found("value").items(store);
        return new ConditionOutcome(store == LockProperties.Store.IN_MEMORY, message);
    }
}
