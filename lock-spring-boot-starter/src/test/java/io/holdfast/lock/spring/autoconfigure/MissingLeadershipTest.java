package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.OrderUtils;
import org.springframework.mock.env.MockEnvironment;

/** A Leadership bean is injected whose role no property names. */
class MissingLeadershipTest {

    private static final String BOOTS =
            "org.springframework.boot.autoconfigure.diagnostics.analyzer.NoSuchBeanDefinitionFailureAnalyzer";

    record Relay(@Qualifier("outbox") Leadership leadership) {}

    record Mailer(@Qualifier("Mail Out") Leadership leadership) {}

    record Unqualified(Leadership leadership) {}

    record Outer(@Qualifier("other") Relay relay) {}

    record OuterOfUnqualified(@Qualifier("other") Unqualified user) {}

    private final ApplicationContextRunner runner = Runners.inMemory();

    @Test
    void failure_names_the_property_of_the_role_and_the_other_way() {
        runner.withBean(Relay.class)
                .withPropertyValues("holdfast.leadership.roles.outbx.enabled=true")
                .run(context -> assertThat(Startup.failureOf(context))
                        .isEqualTo("Parameter 0 of constructor in " + Relay.class.getName()
                                + " requires a Leadership bean for role 'outbox', but no property under"
                                + " holdfast.leadership.roles names this role.\n"
                                + "Set any property of the role, such as holdfast.leadership.roles.outbox.enabled=true."
                                + " Or, if no @LeaderOnly names the role, inject LeaderElection and call"
                                + " join(\"outbox\")."));
    }

    @Test
    void role_that_is_not_a_plain_word_has_brackets() {
        runner.withBean(Mailer.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("holdfast.leadership.roles[Mail Out].enabled=true"));
    }

    @Test
    void role_is_open_without_a_qualifier() {
        runner.withBean(Unqualified.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(
                                "requires a Leadership bean, but no property",
                                "holdfast.leadership.roles.<role>.enabled=true",
                                "join(\"<role>\")"));
    }

    @Test
    void qualifier_is_that_of_the_leadership_not_of_a_bean_that_needs_it() {
        runner.withBean(Outer.class)
                .withBean("other", Relay.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("for role 'outbox'")
                        .contains("roles.outbox."));
        runner.withBean(OuterOfUnqualified.class)
                .withBean("other", Unqualified.class)
                .run(context -> assertThat(Startup.failureOf(context)).contains("roles.<role>."));
    }

    @Test
    void it_is_asked_before_the_analyzer_of_spring_boot() throws ClassNotFoundException {
        assertThat(order(MissingLeadershipFailureAnalyzer.class)).isLessThan(order(Class.forName(BOOTS)));
    }

    private static int order(Class<?> analyzer) {
        return OrderUtils.getOrder(analyzer, Ordered.LOWEST_PRECEDENCE);
    }

    @Test
    void role_that_the_properties_name_is_left_to_spring_boot_since_something_else_is_missing() {
        MockEnvironment environment =
                new MockEnvironment().withProperty("holdfast.leadership.roles.outbox.lease", "10s");
        MissingLeadershipFailureAnalyzer analyzer = new MissingLeadershipFailureAnalyzer(environment);

        runner.withBean(Relay.class)
                .run(context -> assertThat(analyzer.analyze(context.getStartupFailure()))
                        .isNull());
        runner.withBean(Unqualified.class)
                .run(context -> assertThat(analyzer.analyze(context.getStartupFailure()))
                        .isNull());
        runner.withBean(Mailer.class)
                .run(context -> assertThat(analyzer.analyze(context.getStartupFailure()))
                        .isNotNull());
    }

    @Test
    void other_missing_beans_and_several_leaderships_are_left_to_spring_boot() {
        MissingLeadershipFailureAnalyzer analyzer = new MissingLeadershipFailureAnalyzer(new MockEnvironment());

        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException(LockTemplate.class)))
                .isNull();
        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException("outboxLeadership")))
                .isNull();
        assertThat(analyzer.analyze(new NoUniqueBeanDefinitionException(Leadership.class, "mail", "outbox")))
                .isNull();
        assertThat(analyzer.analyze(new NoSuchBeanDefinitionException(Leadership.class)))
                .isNotNull();
    }
}
