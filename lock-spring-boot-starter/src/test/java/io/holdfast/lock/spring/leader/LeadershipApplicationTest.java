package io.holdfast.lock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.LeaderElectedEvent;
import io.holdfast.lock.spring.LeaderRevokedEvent;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.testing.StoreSpy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.test.util.ReflectionTestUtils;

/** Roles of the application's properties, from its start to its end. */
@Timeout(120)
class LeadershipApplicationTest {

    private static final String REPORTS = "holdfast.leadership.roles.reports.enabled=true";

    static class User {

        final Leadership leadership;
        final List<Object> events = new CopyOnWriteArrayList<>();

        User(Leadership leadership) {
            this.leadership = leadership;
        }

        @EventListener
        void elected(LeaderElectedEvent event) {
            events.add(event);
        }

        @EventListener
        void revoked(LeaderRevokedEvent event) {
            events.add(event);
        }
    }

    static class QualifiedUser {

        final Leadership reports;
        final Leadership mail;

        QualifiedUser(@Qualifier("reports") Leadership reports, Leadership mailLeadership) {
            this.reports = reports;
            this.mail = mailLeadership;
        }
    }

    private static void awaitLeader(Leadership leadership) {
        Awaitility.await().until(leadership::isLeader);
    }

    @Test
    void role_of_the_properties_is_injected_and_stood_for() {
        Runners.inMemory().withPropertyValues(REPORTS).withBean(User.class).run(context -> {
            User user = context.getBean(User.class);
            awaitLeader(user.leadership);
            assertThat(user.leadership.role()).isEqualTo("reports");
            assertThat(context.getBean(LeaderElection.class).of("reports")).isSameAs(user.leadership);
            assertThat(user.leadership.leader()).isPresent();
        });
    }

    @Test
    void several_roles_are_told_apart_by_qualifier_or_name() {
        Runners.inMemory()
                .withPropertyValues(REPORTS, "holdfast.leadership.roles.mail.lease=5s")
                .withBean(QualifiedUser.class)
                .run(context -> {
                    QualifiedUser user = context.getBean(QualifiedUser.class);
                    assertThat(user.reports.role()).isEqualTo("reports");
                    assertThat(user.mail.role()).isEqualTo("mail");
                });
    }

    @Test
    void terms_are_application_events() {
        Runners.inMemory().withPropertyValues(REPORTS).withBean(User.class).run(context -> {
            User user = context.getBean(User.class);
            Awaitility.await().until(() -> user.events.size() == 1);
            context.getSourceApplicationContext().close();
            assertThat(user.events)
                    .hasSize(2)
                    .first()
                    .isInstanceOfSatisfying(
                            LeaderElectedEvent.class,
                            elected ->
                                    assertThat(user.events.get(1)).isEqualTo(new LeaderRevokedEvent(elected.term())));
        });
    }

    @Test
    void events_are_not_published_where_they_are_not_wanted() {
        Runners.inMemory()
                .withPropertyValues(REPORTS, "holdfast.events.enabled=false")
                .withBean(User.class)
                .run(context -> {
                    User user = context.getBean(User.class);
                    awaitLeader(user.leadership);
                    context.getSourceApplicationContext().close();
                    assertThat(user.events).isEmpty();
                });
    }

    @Test
    void key_and_lease_are_those_of_the_role_or_else_of_all_roles() {
        List<AcquireRequest> requests = new CopyOnWriteArrayList<>();
        StoreSpy store = new StoreSpy(new InMemoryLockStore()) {
            @Override
            public AcquireReply acquire(AcquireRequest request) {
                requests.add(request);
                return super.acquire(request);
            }
        };
        Runners.starter()
                .withBean(StoreSpy.class, () -> store)
                .withPropertyValues(
                        REPORTS,
                        "holdfast.leadership.lease=7s",
                        "holdfast.leadership.roles.mail.lease=5s",
                        "holdfast.leadership.roles.mail.key=my-mail")
                .run(context -> {
                    Awaitility.await().until(() -> requests.size() == 2);
                    assertThat(requests)
                            .extracting(each -> each.key().value() + " " + each.leaseMillis())
                            .containsExactlyInAnyOrder("leader:reports 7000", "my-mail 5000");
                });
    }

    @Test
    void instance_may_be_no_candidate() {
        Runners.inMemory()
                .withPropertyValues(
                        "holdfast.leadership.enabled=false",
                        "holdfast.leadership.roles.mail.enabled=true",
                        "holdfast.leadership.roles.reports.lease=5s")
                .withBean(QualifiedUser.class)
                .run(context -> {
                    QualifiedUser user = context.getBean(QualifiedUser.class);
                    awaitLeader(user.mail);
                    assertThat(user.reports.isLeader()).isFalse();
                    assertThat(user.reports.leader()).isEmpty();
                    assertThat(context.getBean(LeaderElection.class).roles()).containsExactly(user.mail);
                });
    }

    @Test
    void nothing_is_made_without_a_role() {
        Runners.inMemory().run(context -> {
            assertThat(context.getBeanFactory().containsSingleton("holdfastLeaderElection"))
                    .isFalse();
            assertThat(context.getBean(LeaderRoles.class).known()).isEmpty();
            assertThat(context.getBeanFactory().containsSingleton("holdfastLeadershipEvents"))
                    .isFalse();
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("holdfast-leader"));
        });
    }

    /** What the web server does, which is the last to be started and the first to be stopped. */
    static final class Server implements SmartLifecycle {

        private final Leadership leadership;
        private final List<String> order = new CopyOnWriteArrayList<>();
        private boolean running;

        Server(Leadership leadership) {
            this.leadership = leadership;
        }

        private void record(String event) {
            order.add(event + ": " + (leadership.leader().isPresent() ? "somebody leads" : "nobody leads"));
        }

        @Override
        public void start() {
            running = true;
            record("start");
        }

        @Override
        public void stop() {
            running = false;
            record("stop");
        }

        @Override
        public boolean isRunning() {
            return running;
        }

        @Override
        public int getPhase() {
            return SmartLifecycle.DEFAULT_PHASE - 1;
        }
    }

    @Test
    void terms_begin_after_all_else_was_started_and_are_given_up_before_it_is_stopped() {
        Runners.inMemory().withPropertyValues(REPORTS).withBean(Server.class).run(context -> {
            Server server = context.getBean(Server.class);
            awaitLeader(server.leadership);
            context.getSourceApplicationContext().close();
            assertThat(server.order).containsExactly("start: nobody leads", "stop: nobody leads");
        });
    }

    @Test
    void context_that_is_stopped_and_started_again_stands_again() {
        Runners.inMemory().withPropertyValues(REPORTS).withBean(User.class).run(context -> {
            Leadership leadership = context.getBean(User.class).leadership;
            awaitLeader(leadership);
            context.getSourceApplicationContext().stop();
            assertThat(leadership.isLeader()).isFalse();
            context.getSourceApplicationContext().start();
            awaitLeader(leadership);
        });
    }

    /** CRaC announces it before Spring's lifecycle does. */
    @Test
    void term_is_given_up_for_a_checkpoint_and_stood_for_again_when_spring_goes_on() {
        Runners.inMemory()
                .withPropertyValues(REPORTS, "holdfast.shutdown.timeout=1m")
                .withBean(User.class)
                .run(context -> {
                    Leadership leadership = context.getBean(User.class).leadership;
                    awaitLeader(leadership);
                    Object locks = context.getBean("holdfastShutdown");
                    Object spring = context.getBean(AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME);
                    ReflectionTestUtils.invokeMethod(locks, "suspend");
                    assertThat(leadership.isLeader()).isFalse();
                    Awaitility.await()
                            .until(() -> context.getBean(User.class).events.size() == 2);
                    ReflectionTestUtils.invokeMethod(spring, "stopForRestart");
                    ReflectionTestUtils.invokeMethod(spring, "restartAfterStop");
                    awaitLeader(leadership);
                });
    }

    @Test
    void wrong_settings_fail_the_start_by_name() {
        ApplicationContextRunner runner = Runners.inMemory();
        runner.withPropertyValues("holdfast.leadership.roles.reports.leese=5s")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("Did you mean holdfast.leadership.roles.reports.lease?"));
        runner.withPropertyValues("holdfast.leadership.leas=5s")
                .run(context ->
                        assertThat(Startup.failureOf(context)).contains("Did you mean holdfast.leadership.lease?"));
        runner.withPropertyValues("holdfast.leadership.roles.reports.lease=5ms")
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("'holdfast.leadership.roles.reports.lease'", "between 100 ms"));
        runner.withPropertyValues("holdfast.leadership.roles.reports.key= ")
                .run(context ->
                        assertThat(Startup.failureOf(context)).contains("holdfast.leadership.roles.reports.key"));
    }
}
