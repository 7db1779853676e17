package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.spring.aop.LockAdvisor;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.data.repository.Repository;
import org.springframework.util.ClassUtils;

/**
 * Reports a missing {@link LockTemplate} bean if the starter is disabled, and a missing {@link Leadership} bean if the properties
 * do not name its role; any bean of locks that a test slice lacks; the advisor, if its auto-configuration is excluded; and a
 * repository that is missing because of Spring Data Redis. Spring Boot would report them too, but would advise defining the bean.
 */
@Order(0)
final class MissingBeanFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

    private static final String REPOSITORY = "org.springframework.data.repository.Repository";
    private static final String DATA_REDIS =
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration";

    private final BeanFactory beans;
    private final Environment environment;

    MissingBeanFailureAnalyzer(BeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    protected @Nullable FailureAnalysis analyze(
            Throwable rootFailure, NoSuchBeanDefinitionException cause, @Nullable String description) {
        ResolvableType type = cause.getResolvableType();
        String user = description == null ? "The application" : description;
        Class<?> missing = type == null ? Object.class : type.toClass();
        if (missing == LockTemplate.class && !environment.getProperty("holdfast.enabled", Boolean.class, true)) {
            return new FailureAnalysis(
                    user + " requires a LockTemplate bean, but holdfast.enabled is false.",
                    "Remove the property holdfast.enabled, which turns off the lock-spring-boot-starter.",
                    cause);
        }
        if (missing == LockAdvisor.class && !(cause instanceof NoUniqueBeanDefinitionException)) {
            return new FailureAnalysis(
                    "LockAopAutoConfiguration is excluded, so annotated methods would run without their locks.",
                    "Stop excluding it. To run without locks, set holdfast.enabled=false.",
                    cause);
        }
        if (missing.getName().startsWith("io.holdfast.lock.")
                && isSlice()
                && !beans.containsBean(LockAutoConfiguration.TEMPLATE)) {
            return new FailureAnalysis(
                    user + " requires a " + missing.getSimpleName() + " bean, but this test slice has no locks.",
                    "Add @AutoConfigureTestLocks (from lock-spring-boot-test) to the test, or use @MockitoBean.",
                    cause);
        }
        if (!(cause instanceof NoUniqueBeanDefinitionException) && isUnassignedRepository(missing)) {
            return new FailureAnalysis(
                    user + " requires the repository " + missing.getName() + ", which Spring Data has not created:"
                            + " lock-spring-boot-starter adds Spring Data Redis, and with several modules, Spring Data"
                            + " ignores repositories whose entity has no annotation of a module.",
                    "Annotate the entity: @Table (Spring Data JDBC, R2DBC), @Entity (JPA), @Document (MongoDB).",
                    cause);
        }
        if (missing != Leadership.class
                || cause instanceof NoUniqueBeanDefinitionException
                || !beans.containsBean(LeadershipRegistrar.ROLES)) {
            return null;
        }
        return new FailureAnalysis(
                user + " requires a Leadership bean, but no property under holdfast.leadership.roles names its role.",
                "Set any property of the role, such as holdfast.leadership.roles.<role>.enabled=true. Or, if no"
                        + " @LeaderOnly names the role, inject LeaderElection and call join.",
                cause);
    }

    /**
     * Whether a type is a repository whose entity is assigned to no module of Spring Data, in an application where Spring Data Redis
     * is there only for locks. A test slice may lack repositories for another reason.
     */
    private boolean isUnassignedRepository(Class<?> type) {
        if (beans.containsBean(DATA_REDIS) || isSlice() || !ClassUtils.isPresent(REPOSITORY, type.getClassLoader())) {
            return false;
        }
        Class<?> entity = ResolvableType.forClass(type).as(Repository.class).resolveGeneric(0);
        return entity != null
                && Stream.of(entity.getAnnotations())
                        .map(each -> each.annotationType().getName())
                        .noneMatch(each -> each.startsWith("jakarta.persistence.") || each.contains(".data."));
    }

    private boolean isSlice() {
        return !environment.getProperty(EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY, Boolean.class, true);
    }
}
