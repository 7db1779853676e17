package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import example.customers.Customers;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.aop.LockAdvisor;
import io.holdfast.lock.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.OrderUtils;
import org.springframework.data.redis.core.RedisHash;
import org.springframework.data.repository.CrudRepository;
import org.springframework.mock.env.MockEnvironment;

/** A Leadership bean is injected whose role no property names, or a template where the starter is turned off. */
class MissingBeanTest {

    private static final String BOOTS =
            "org.springframework.boot.autoconfigure.diagnostics.analyzer.NoSuchBeanDefinitionFailureAnalyzer";

    record Relay(@Qualifier("outbox") Leadership leadership) {}

    private final StaticListableBeanFactory beans = new StaticListableBeanFactory();
    private final MockEnvironment environment = new MockEnvironment();
    private final MissingBeanFailureAnalyzer analyzer = new MissingBeanFailureAnalyzer(beans, environment);

    private void hasLeadership() {
        beans.addBean(LeadershipRegistrar.ROLES, "there");
    }

    @Test
    void failure_names_the_property_of_the_role_and_the_other_way() {
        hasLeadership();
        Runners.inMemory().withBean(Relay.class).run(context -> {
            FailureAnalysis analysis = analyzer.analyze(context.getStartupFailure());
            assertThat(analysis.getDescription())
                    .isEqualTo("Parameter 0 of constructor in " + Relay.class.getName()
                            + " requires a Leadership bean, but no property under holdfast.leadership.roles names its"
                            + " role.");
            assertThat(analysis.getAction())
                    .contains("holdfast.leadership.roles.<role>.enabled=true", "LeaderElection");
        });
    }

    @Test
    void it_is_asked_before_the_analyzer_of_spring_boot() throws ClassNotFoundException {
        assertThat(order(MissingBeanFailureAnalyzer.class)).isLessThan(order(Class.forName(BOOTS)));
    }

    private static int order(Class<?> analyzer) {
        return OrderUtils.getOrder(analyzer, Ordered.LOWEST_PRECEDENCE);
    }

    record User(LockTemplate locks) {}

    @Test
    void missing_template_of_an_application_that_turns_the_starter_off_is_said_to_be_turned_off() {
        Runners.inMemory()
                .withPropertyValues("holdfast.enabled=false")
                .withBean(User.class)
                .run(context -> {
                    assertThat(analyzer.analyze(context.getStartupFailure())).isNull();
                    environment.setProperty("holdfast.enabled", "false");
                    FailureAnalysis analysis = analyzer.analyze(context.getStartupFailure());
                    assertThat(analysis.getDescription())
                            .isEqualTo("Parameter 0 of constructor in " + User.class.getName()
                                    + " requires a LockTemplate bean, but holdfast.enabled is false.");
                    assertThat(analysis.getAction()).contains("holdfast.enabled");
                });
    }

    @Test
    void excluded_auto_configuration_of_annotated_methods_is_named() {
        FailureAnalysis analysis = analyzer.analyze(new NoSuchBeanDefinitionException(LockAdvisor.class));
        assertThat(analysis.getDescription()).startsWith("LockAopAutoConfiguration is excluded");
        assertThat(analysis.getAction()).contains("Stop excluding it", "holdfast.enabled=false");
    }

    private void isSlice() {
        environment.setProperty(EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY, "false");
    }

    @Test
    void bean_that_a_test_slice_lacks_names_the_annotation_for_tests() {
        isSlice();
        Runners.partForTest().withBean(User.class).run(context -> {
            FailureAnalysis analysis = analyzer.analyze(context.getStartupFailure());
            assertThat(analysis.getDescription() + "\n" + analysis.getAction())
                    .isEqualTo(
                            "Parameter 0 of constructor in " + User.class.getName()
                                    + " requires a LockTemplate bean, but this test slice has no locks.\nAdd"
                                    + " @AutoConfigureTestLocks (from lock-spring-boot-test) to the test, or use @MockitoBean.");
        });
    }

    @ParameterizedTest
    @ValueSource(
            classes = {LockTemplate.class, LockStore.class, LockEngine.class, LeaderElection.class, Leadership.class})
    void each_bean_of_locks_that_a_test_slice_lacks_is_known(Class<?> type) {
        isSlice();
        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException(type)).getDescription())
                .isEqualTo("The application requires a " + type.getSimpleName()
                        + " bean, but this test slice has no locks.");
        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException(String.class)))
                .isNull();
        beans.addBean(LockAutoConfiguration.TEMPLATE, "there");
        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException(type))).isNull();
    }

    /** As in a test slice: then no property helps. */
    @Test
    void application_without_leadership_is_left_to_spring_boot() {
        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException(Leadership.class)))
                .isNull();
    }

    @Test
    void other_missing_beans_and_several_leaderships_are_left_to_spring_boot() {
        hasLeadership();
        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException(LockTemplate.class)))
                .isNull();
        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException("outboxLeadership")))
                .isNull();
        assertThat(analyzer.analyze(new NoUniqueBeanDefinitionException(Leadership.class, "mail", "outbox")))
                .isNull();
        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException(Leadership.class)))
                .isNotNull();
    }

    @RedisHash
    record Member(String id) {}

    interface Members extends CrudRepository<Member, String> {}

    @Test
    void repository_of_an_entity_without_annotations_is_said_to_be_missing_because_of_spring_data_redis() {
        FailureAnalysis analysis = analyzer.analyze(new NoSuchBeanDefinitionException(Customers.class));
        assertThat(analysis.getDescription())
                .isEqualTo(
                        "The application requires the repository " + Customers.class.getName()
                                + ", which Spring Data has not created: lock-spring-boot-starter adds Spring Data Redis, and with"
                                + " several modules, Spring Data ignores repositories whose entity has no annotation of a module.");
        assertThat(analysis.getAction()).startsWith("Annotate the entity: @Table (Spring Data JDBC");
    }

    @Test
    void other_missing_repositories_are_left_to_spring_boot() {
        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException(Members.class)))
                .isNull();
        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException(Runnable.class)))
                .isNull();
        assertThat(analyzer.analyze(new NoUniqueBeanDefinitionException(Customers.class, "one", "two")))
                .isNull();
        beans.addBean(DataRedisAutoConfiguration.class.getName(), "there");
        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException(Customers.class)))
                .isNull();
    }

    @Test
    void repository_that_a_test_slice_lacks_is_left_to_spring_boot() {
        isSlice();
        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException(Customers.class)))
                .isNull();
    }
}
