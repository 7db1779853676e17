package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.leader.Leadership;
import java.util.Set;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers a bean of type {@link Leadership} for each role that the properties name, with the role as its qualifier. The bean is
 * created when it is first needed.
 */
record LeadershipRegistrar(Environment environment) implements ImportBeanDefinitionRegistrar {

    static final String ROLES = "holdfastLeaderRoles";
    private static final String SUFFIX = "Leadership";

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        Set<String> roles = Binder.get(environment)
                .bind("holdfast.leadership.roles", Bindable.mapOf(String.class, Object.class))
                .map(java.util.Map::keySet)
                .orElse(Set.of());
        for (String role : roles) {
            if (!registry.containsBeanDefinition(role + SUFFIX)) {
                registry.registerBeanDefinition(role + SUFFIX, definition(role));
            }
        }
    }

    private static RootBeanDefinition definition(String role) {
        RootBeanDefinition definition = new RootBeanDefinition();
        definition.setTargetType(Leadership.class);
        definition.setFactoryBeanName(ROLES);
        definition.setFactoryMethodName("of");
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, role);
        definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, role));
        definition.setLazyInit(true);
        return definition;
    }
}
