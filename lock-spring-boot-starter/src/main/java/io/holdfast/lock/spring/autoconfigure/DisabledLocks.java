package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.aop.ProxiedBean;
import io.holdfast.lock.spring.definition.AnnotatedMethods;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.Order;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Warns at startup if the starter is disabled and beans have annotated methods, which run unlocked. This condition always matches:
 * when the starter is disabled, only its conditions are called.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class DisabledLocks implements Condition, ApplicationListener<ContextRefreshedEvent> {

    private static final Logger log = LoggerFactory.getLogger(DisabledLocks.class);
    private static final String NAME = "unlockedMethods";

    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConfigurableListableBeanFactory beans = Objects.requireNonNull(context.getBeanFactory());
        if (!context.getEnvironment().getProperty("holdfast.enabled", Boolean.class, true)
                && !beans.containsSingleton(NAME)) {
            beans.registerSingleton(NAME, this);
        }
        return true;
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        var beans =
                (ConfigurableListableBeanFactory) event.getApplicationContext().getAutowireCapableBeanFactory();
        Set<String> found = new TreeSet<>();
        if (beans.getSingleton(NAME) == this) { // otherwise, a child context was refreshed
            ProxiedBean.all(beans)
                    .filter(each -> isAnnotated(each.type()))
                    .forEach(each -> found.add(each.type().getName()));
        }
        if (!found.isEmpty()) {
            log.warn("While holdfast.enabled is false, methods run without locks and on every instance: {}", found);
        }
    }

    private static boolean isAnnotated(Class<?> type) {
        return Stream.concat(Stream.of(type), AnnotatedMethods.methodsOf(type).stream())
                .map(place -> MergedAnnotations.from(place, MergedAnnotations.SearchStrategy.TYPE_HIERARCHY))
                .anyMatch(all -> all.isPresent(DistributedLock.class) || all.isPresent(LeaderOnly.class));
    }
}
