package io.holdfast.lock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Methods that run on the leader only, in two applications that share their locks. */
@Timeout(120)
class LeaderOnlyTest {

    private static final String ROLE = "reports";

    @Retention(RetentionPolicy.RUNTIME)
    @LeaderOnly(ROLE)
    @interface ReportsOnly {}

    static class Reports {

        final List<String> calls = new ArrayList<>();

        @LeaderOnly(ROLE)
        public void send() {
            calls.add("send");
        }

        @LeaderOnly("${role:reports}")
        public Optional<String> last() {
            return Optional.of("one");
        }

        @LeaderOnly(ROLE)
        String name() {
            return "name";
        }

        @ReportsOnly
        public OptionalInt count() {
            return OptionalInt.of(1);
        }

        @LeaderOnly(ROLE)
        public CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("later");
        }

        @LeaderOnly(ROLE)
        public Future<String> anyFuture() {
            return CompletableFuture.completedFuture("later");
        }

        @LeaderOnly(ROLE)
        public Object anything() {
            return "anything";
        }

        @LeaderOnly(ROLE)
        @DistributedLock(name = "inside")
        public void locked() {
            calls.add("locked");
        }

        public String everywhere() {
            return "everywhere";
        }
    }

    @LeaderOnly(ROLE)
    static class WholeClass {

        public String any() {
            return "any";
        }

        @LeaderOnly("another")
        public String ofAnotherRole() {
            return "another";
        }
    }

    private final InMemoryLockStore shared = new InMemoryLockStore();

    private ApplicationContextRunner application() {
        return Runners.starter()
                .withBean(InMemoryLockStore.class, () -> shared)
                .withBean(Reports.class)
                .withBean(WholeClass.class);
    }

    private static Leadership role(AssertableApplicationContext context) {
        return context.getBean(LeaderElection.class).of(ROLE);
    }

    private static void awaitLeader(AssertableApplicationContext context) {
        Awaitility.await().until(() -> role(context).isLeader());
    }

    @Test
    void leader_runs_its_methods() {
        application().run(context -> {
            awaitLeader(context);
            Reports reports = context.getBean(Reports.class);
            reports.send();
            reports.locked();
            assertThat(reports.last()).contains("one");
            assertThat(reports.name()).isEqualTo("name");
            assertThat(reports.count()).hasValue(1);
            assertThat(reports.later()).isCompletedWithValue("later");
            assertThat(context.getBean(WholeClass.class).any()).isEqualTo("any");
        });
    }

    @Test
    void calls_on_another_instance_do_nothing_and_return_nothing() {
        application().run(leader -> {
            awaitLeader(leader);
            application().run(context -> {
                Reports reports = context.getBean(Reports.class);
                reports.send();
                reports.locked();
                assertThat(reports.last()).isEmpty();
                assertThat(reports.name()).isNull();
                assertThat(reports.count()).isEmpty();
                assertThat(reports.later()).isCompletedWithValue(null);
                assertThat(reports.anyFuture())
                        .satisfies(each -> assertThat(each.get()).isNull());
                assertThat(reports.anything()).isNull();
                assertThat(reports.everywhere()).isEqualTo("everywhere");
                assertThat(context.getBean(WholeClass.class).any()).isNull();
                assertThat(context.getBean(LockTemplate.class).inspect("inside").lastFencingToken())
                        .isZero();
            });
        });
    }

    @Test
    void method_goes_before_its_class() {
        application().run(context -> {
            awaitLeader(context);
            assertThat(context.getBean(LeaderElection.class).roles())
                    .extracting(Leadership::role)
                    .containsExactly("another", ROLE);
        });
    }

    @Test
    void child_context_leads_although_its_parent_has_no_roles() {
        Runners.starter()
                .withBean(InMemoryLockStore.class, () -> shared)
                .run(parent -> Runners.starter()
                        .withParent(parent)
                        .withBean(Reports.class)
                        .run(child -> Awaitility.await()
                                .untilAsserted(() -> assertThat(
                                                child.getBean(Reports.class).name())
                                        .isEqualTo("name"))));
    }

    @Test
    void child_context_leads_if_its_parent_does() {
        Runners.starter()
                .withBean(InMemoryLockStore.class, () -> shared)
                .withPropertyValues("holdfast.leadership.roles.reports.lease=10s")
                .run(parent -> {
                    awaitLeader(parent);
                    Runners.starter()
                            .withParent(parent)
                            .withPropertyValues("holdfast.leadership.roles.reports.lease=10s")
                            .withBean(Reports.class)
                            .withBean(WholeClass.class)
                            .run(child -> {
                                assertThat(child.getBean("reportsLeadership")).isSameAs(role(parent));
                                assertThat(child.getBean(Reports.class).name()).isEqualTo("name");
                                Leadership late =
                                        parent.getBean(LeaderElection.class).of("another");
                                Awaitility.await().until(late::isLeader);
                            });
                });
    }

    @Test
    void call_after_the_context_was_closed_is_skipped_and_creates_no_bean() {
        application().run(context -> {
            awaitLeader(context);
            Reports reports = context.getBean(Reports.class);
            context.getSourceApplicationContext().close();
            assertThat(reports.name()).isNull();
            assertThat(context.getSourceApplicationContext().getBeanFactory().getSingletonNames())
                    .noneMatch(name -> name.startsWith("holdfast"));
        });
    }

    @EnableScheduling
    static class Scheduling {}

    static class Job {

        private final AtomicInteger runs;

        Job(AtomicInteger runs) {
            this.runs = runs;
        }

        @Scheduled(fixedDelay = 1)
        @LeaderOnly(ROLE)
        public void run() {
            runs.incrementAndGet();
        }
    }

    @Test
    void scheduled_method_runs_on_the_leader_only() {
        AtomicInteger runs = new AtomicInteger();
        application().run(leader -> {
            awaitLeader(leader);
            application()
                    .withUserConfiguration(Scheduling.class)
                    .withBean(Job.class, () -> new Job(runs))
                    .run(context -> {
                        assertThat(role(context).isLeader()).isFalse();
                        assertThat(runs).hasValue(0);
                        leader.getSourceApplicationContext().close();
                        Awaitility.await().until(() -> runs.get() > 0);
                        assertThat(role(context).isLeader()).isTrue();
                    });
        });
    }
}
