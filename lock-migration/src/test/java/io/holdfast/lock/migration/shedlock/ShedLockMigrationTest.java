package io.holdfast.lock.migration.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.migration.Applications;
import io.holdfast.lock.migration.Door;
import io.holdfast.lock.migration.Holding;
import io.holdfast.lock.migration.Redis;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import redis.clients.jedis.Jedis;

@Tag("full")
class ShedLockMigrationTest {

    private final Door shop = new Door();

    private final ApplicationContextRunner shedLock = Applications.plain()
            .withUserConfiguration(ShedLockBefore.Scheduling.class)
            .withBean(Door.class, () -> shop)
            .withBean(ShedLockBefore.class);
    private final ApplicationContextRunner withoutJobs = Applications.holdfast()
            .withPropertyValues("holdfast.redis.key-prefix=" + UUID.randomUUID())
            .withBean(Door.class, () -> shop);
    private final ApplicationContextRunner holdfast =
            withoutJobs.withUserConfiguration(ShedLockAfter.Scheduling.class).withBean(ShedLockAfter.class);

    /** Its locks last for a minute, and its names are the same in each test. */
    @BeforeEach
    void forgetFormerLocks() {
        try (Jedis redis = new Jedis("127.0.0.1", Redis.port())) {
            redis.keys("job-lock:shop:*").forEach(redis::del);
        }
    }

    private static <T> void inOne(ApplicationContextRunner application, Class<T> bean, Consumer<T> test) {
        application.run(context -> test.accept(context.getBean(bean)));
    }

    private static <T> void inTwo(ApplicationContextRunner application, Class<T> bean, BiConsumer<T, T> test) {
        application.run(here -> application.run(there -> test.accept(here.getBean(bean), there.getBean(bean))));
    }

    @Test
    void former_job_runs_once() {
        inTwo(shedLock, ShedLockBefore.class, (here, there) -> {
            here.report();
            there.report();
            assertThat(shop.sold()).isOne();
        });
    }

    @Test
    void new_job_runs_once() {
        inTwo(holdfast, ShedLockAfter.class, (here, there) -> {
            here.report();
            there.report();
            assertThat(shop.sold()).isOne();
        });
    }

    @Test
    void former_job_without_a_minimum_is_skipped_only_while_another_runs() {
        inOne(shedLock, ShedLockBefore.class, jobs -> {
            try (Holding held = shop.hold(jobs::cleanUp)) {
                jobs.cleanUp();
                assertThat(shop.sold()).isZero();
            }
            jobs.cleanUp();
            assertThat(shop.sold()).isOne();
        });
    }

    @Test
    void new_job_without_a_minimum_is_skipped_until_its_delay_is_over() {
        inTwo(holdfast, ShedLockAfter.class, (here, there) -> {
            here.cleanUp();
            there.cleanUp();
            assertThat(shop.sold()).isOne();
        });
    }

    @Test
    void former_job_runs_once_for_each_parameter() {
        inOne(shedLock, ShedLockBefore.class, jobs -> {
            jobs.sync("north");
            jobs.sync("north");
            jobs.sync("south");
            assertThat(shop.sold()).isEqualTo(2);
        });
    }

    @Test
    void new_job_runs_once_for_each_parameter() {
        inOne(holdfast, ShedLockAfter.class, jobs -> {
            jobs.sync("north");
            jobs.sync("north");
            jobs.sync("south");
            assertThat(shop.sold()).isEqualTo(2);
        });
    }

    @Test
    void former_lock_is_extended() {
        inOne(shedLock, ShedLockBefore.class, jobs -> {
            jobs.invoices();
            assertThat(shop.sold()).isEqualTo(3);
        });
    }

    @Test
    void new_lock_is_extended() {
        inOne(holdfast, ShedLockAfter.class, jobs -> {
            jobs.invoices();
            assertThat(shop.sold()).isEqualTo(3);
        });
    }

    @Test
    void former_executor_says_whether_it_ran() throws Throwable {
        shedLock.run(here -> shedLock.run(there -> {
            assertThat(now(here.getBean(ShedLockBefore.class))).isTrue();
            assertThat(now(there.getBean(ShedLockBefore.class))).isFalse();
        }));
    }

    private static boolean now(ShedLockBefore shop) throws Exception {
        try {
            return shop.now();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void template_says_whether_it_ran() {
        inTwo(holdfast, ShedLockAfter.class, (here, there) -> {
            assertThat(here.now()).isTrue();
            assertThat(there.now()).isFalse();
        });
    }

    @Test
    void job_with_both_annotations_is_kept_out_by_the_one_before() {
        between((former, now, next) -> {
            former.report();
            now.report();
        });
        assertThat(shop.sold()).isOne();
    }

    @Test
    void job_with_both_annotations_keeps_out_the_one_before_and_the_one_after() {
        between((former, now, next) -> {
            now.report();
            former.report();
            next.report();
        });
        assertThat(shop.sold()).isOne();
    }

    @Test
    void job_with_both_annotations_is_kept_out_by_the_one_after() {
        between((former, now, next) -> {
            next.report();
            now.report();
        });
        assertThat(shop.sold()).isOne();
    }

    private interface RollOut {
        void tick(ShedLockBefore former, ShedLockBetween now, ShedLockAfter next);
    }

    private void between(RollOut test) {
        ApplicationContextRunner both = withoutJobs
                .withUserConfiguration(ShedLockBefore.Scheduling.class)
                .withBean(ShedLockBetween.class);
        shedLock.run(former -> both.run(now -> holdfast.run(next -> test.tick(
                former.getBean(ShedLockBefore.class),
                now.getBean(ShedLockBetween.class),
                next.getBean(ShedLockAfter.class)))));
    }
}
