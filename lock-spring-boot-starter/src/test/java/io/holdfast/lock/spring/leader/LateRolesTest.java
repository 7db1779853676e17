package io.holdfast.lock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import java.util.Optional;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.test.util.ReflectionTestUtils;

/** Roles that are first requested after startup, in an application that has had none. */
@Timeout(120)
class LateRolesTest {

    /** As Quartz creates its jobs, by Spring's SpringBeanJobFactory: not from a definition. */
    static class Job {

        @LeaderOnly("jobs")
        public Optional<String> run() {
            return Optional.of("ran");
        }
    }

    /** Of the same role, in another context. */
    static class OtherJob extends Job {}

    private static void inApplication(Consumer<AssertableApplicationContext> test) {
        Runners.inMemory().run(context -> {
            assertThat(context.getBean(LeaderRoles.class).known()).isEmpty();
            test.accept(context);
        });
    }

    private static void awaitRun(AssertableApplicationContext context) {
        awaitRun(context.getAutowireCapableBeanFactory().createBean(Job.class));
    }

    private static void awaitRun(Job job) {
        Awaitility.await().until(() -> job.run().isPresent());
    }

    @Test
    void bean_that_is_created_after_startup_runs_on_the_leader() {
        inApplication(LateRolesTest::awaitRun);
    }

    @Test
    void each_of_several_late_roles_has_a_leader() {
        inApplication(context -> {
            awaitRun(context);
            Leadership second = context.getBean(LeaderElection.class).join("second");
            Awaitility.await().until(second::isLeader);
        });
    }

    @Test
    void role_that_the_application_joins_after_startup_has_a_leader() {
        inApplication(context -> {
            LeaderElection election =
                    context.getBeanProvider(LeaderElection.class).getObject();
            Leadership joined = election.join("p9");
            Awaitility.await().until(joined::isLeader);
        });
    }

    @Test
    void role_of_a_child_context_that_is_created_after_startup_has_a_leader() {
        inApplication(parent -> {
            try (var child = new AnnotationConfigApplicationContext()) {
                child.setParent(parent.getSourceApplicationContext());
                child.register(Runners.lockConfigurations());
                child.registerBean(OtherJob.class);
                child.refresh();
                assertThat(child.getBeanNamesForType(LeaderRoles.class)).isEmpty();
                ObjectProvider<OtherJob> jobs = child.getBeanProvider(OtherJob.class);
                Awaitility.await().until(() -> jobs.getObject() != null);
            }
            awaitRun(parent);
        });
    }

    @Test
    void role_that_is_first_requested_while_the_context_is_stopped_has_a_leader_when_it_is_started_again() {
        inApplication(context -> {
            var application = context.getSourceApplicationContext(ConfigurableApplicationContext.class);
            application.stop();
            Job job = context.getAutowireCapableBeanFactory().createBean(Job.class);
            assertThat(job.run()).isEmpty();
            assertThat(context.getBean(LeaderElection.class).of("jobs").leader())
                    .as("while it is stopped")
                    .isEmpty();
            application.start();
            awaitRun(job);
        });
    }

    @Test
    void role_that_is_first_requested_after_a_restore_has_a_leader() {
        inApplication(context -> {
            Object locks = context.getBean("holdfastShutdown");
            Object spring = context.getBean(AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME);
            ReflectionTestUtils.invokeMethod(locks, "suspend");
            ReflectionTestUtils.invokeMethod(spring, "stopForRestart");
            ReflectionTestUtils.invokeMethod(spring, "restartAfterStop");
            awaitRun(context);
        });
    }

    /** A call during a checkpoint must neither make the process lead nor keep its copies from leading. */
    @Test
    void role_that_is_first_requested_during_a_checkpoint_has_a_leader_after_it() {
        inApplication(context -> {
            Object locks = context.getBean("holdfastShutdown");
            Object spring = context.getBean(AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME);
            Job job = context.getAutowireCapableBeanFactory().createBean(Job.class);
            ReflectionTestUtils.invokeMethod(locks, "suspend");
            assertThat(job.run()).isEmpty();
            ReflectionTestUtils.invokeMethod(spring, "stopForRestart");
            assertThat(job.run()).isEmpty();
            ReflectionTestUtils.invokeMethod(spring, "restartAfterStop");
            awaitRun(job);
        });
    }

    @Test
    void no_election_is_created_after_the_end_because_nobody_would_close_it() {
        inApplication(context -> {
            LeaderRoles roles = context.getBean(LeaderRoles.class);
            context.getSourceApplicationContext().close();
            assertThatThrownBy(() -> roles.of("jobs"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
            assertThat(roles.known()).isEmpty();
        });
    }
}
