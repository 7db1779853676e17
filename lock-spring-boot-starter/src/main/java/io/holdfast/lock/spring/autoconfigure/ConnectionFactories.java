package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.annotation.LockConnectionFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.type.MethodMetadata;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Chooses the connection factory for locks: the one with {@link LockConnectionFactory}, else the only one, else the
 * primary one. A marked bean counts also if it is no candidate for injection.
 */
final class ConnectionFactories {

    private static final String QUALIFIER = LockConnectionFactory.class.getName();

    private final ConfigurableListableBeanFactory beans;

    ConnectionFactories(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    private List<String> names() {
        return List.of(
                BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, RedisConnectionFactory.class, true, false));
    }

    /** Whether the application has none at all. */
    boolean isEmpty() {
        return names().isEmpty();
    }

    RedisConnectionFactory choose() {
        return beans.getBean(chosenName(), RedisConnectionFactory.class);
    }

    private String chosenName() {
        List<String> all = names();
        List<String> marked = marked(all);
        if (!marked.isEmpty()) {
            return single(marked, all);
        }
        List<String> candidates = new ArrayList<>();
        for (String name : all) {
            BeanDefinition definition = definition(name);
            if (definition == null || isCandidate(definition)) {
                candidates.add(name);
            }
        }
        return single(candidates, all);
    }

    private List<String> marked(List<String> all) {
        List<String> marked = new ArrayList<>();
        for (String name : all) {
            if (isMarked(name)) {
                marked.add(name);
            }
        }
        return marked;
    }

    /**
     * Properties specify which Redis locks use, so no bean may specify another one.
     *
     * @throws LockSetupException if one does
     */
    void refuseMarked(String properties) {
        List<String> marked = marked(names());
        if (!marked.isEmpty()) {
            throw new LockSetupException(
                    "Both " + properties + " and @LockConnectionFactory on " + String.join(", ", marked)
                            + " specify where locks are kept.",
                    "Remove one of them.",
                    null);
        }
    }

    private String single(List<String> candidates, List<String> all) {
        if (candidates.size() == 1) {
            return candidates.get(0);
        }
        List<String> primary = candidates.stream()
                .filter(matching(BeanDefinition::isPrimary, false))
                .toList();
        List<String> regular = candidates.stream()
                .filter(matching(each -> !each.isFallback(), true))
                .toList();
        if (primary.size() == 1) {
            return primary.get(0);
        } else if (regular.size() == 1) {
            return regular.get(0);
        }
        throw new LockSetupException(
                "Locks need a single RedisConnectionFactory, but there are several: " + String.join(", ", all) + ".",
                "Annotate one of the beans with @LockConnectionFactory or @Primary.",
                null);
    }

    private Predicate<String> matching(Predicate<BeanDefinition> condition, boolean ifUnknown) {
        return name -> {
            BeanDefinition definition = definition(name);
            return definition == null ? ifUnknown : condition.test(definition);
        };
    }

    private boolean isCandidate(BeanDefinition definition) {
        return definition.isAutowireCandidate()
                && (!(definition instanceof AbstractBeanDefinition each) || each.isDefaultCandidate());
    }

    private boolean isMarked(String name) {
        BeanDefinition definition = definition(name);
        return beans.findAnnotationOnBean(name, LockConnectionFactory.class, false) != null
                || (definition instanceof AbstractBeanDefinition each && each.hasQualifier(QUALIFIER))
                || isMarkedMethod(definition);
    }

    private static boolean isMarkedMethod(@Nullable BeanDefinition definition) {
        BeanDefinition original = definition == null ? null : definition.getOriginatingBeanDefinition();
        return methodOf(definition) || methodOf(original);
    }

    private static boolean methodOf(@Nullable BeanDefinition definition) {
        if (definition instanceof AnnotatedBeanDefinition annotated) {
            MethodMetadata method = annotated.getFactoryMethodMetadata();
            return method != null && method.isAnnotated(QUALIFIER);
        }
        return false;
    }

    /** Null for an instance that was registered as it is. */
    private @Nullable BeanDefinition definition(String name) {
        try {
            return beans.getMergedBeanDefinition(name);
        } catch (NoSuchBeanDefinitionException instance) {
            return null;
        }
    }
}
