package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Several application contexts in one process: one after the other, side by side, and inside each other. */
@Timeout(60)
class SeveralContextsTest {

    private static final String KEY = "contexts-" + UUID.randomUUID();

    public static class Service {

        private final LockTemplate locks;

        public Service(LockTemplate locks) {
            this.locks = locks;
        }

        @DistributedLock(key = "#key", waitFor = 0)
        public boolean isLocked(String key) {
            return !locks.inspect(key).holders().isEmpty();
        }
    }

    private static ApplicationContextRunner redis(String client) {
        return Runners.redis()
                .withPropertyValues("spring.data.redis.client-type=" + client)
                .withBean(Service.class);
    }

    private static ApplicationContextRunner lazy(ApplicationContextRunner runner) {
        return runner.withInitializer(
                context -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()));
    }

    @Test
    void contexts_side_by_side_exclude_each_other_with_both_clients() {
        redis("jedis")
                .run(one -> redis("lettuce").run(two -> {
                    try (LockHandle held = one.getBean(LockTemplate.class).acquire(KEY)) {
                        assertThat(held.isHeld()).isTrue();
                        assertThatThrownBy(() -> two.getBean(Service.class).isLocked(KEY))
                                .isInstanceOf(LockNotAcquiredException.class);
                    }
                    assertThat(two.getBean(Service.class).isLocked(KEY)).isTrue();
                }));
    }

    @Test
    void context_may_be_closed_and_another_started() {
        for (int i = 0; i < 3; i++) {
            redis("jedis").run(context -> {
                context.getBean(LockTemplate.class).acquire(KEY);
                assertThat(context.getBean(Service.class).isLocked(KEY)).isTrue();
            });
        }
    }

    @Test
    void closing_one_context_does_no_harm_to_another() {
        redis("jedis").run(one -> {
            LockTemplate locks = one.getBean(LockTemplate.class);
            LockHandle held = locks.acquire(KEY);
            redis("jedis")
                    .run(two -> assertThat(two.getBean(LockTemplate.class).tryAcquire(KEY))
                            .isEmpty());
            held.ensureHeld();
            held.extend(java.time.Duration.ofMinutes(1));
            held.close();
            assertThat(one.getBean(Service.class).isLocked(KEY)).isTrue();
        });
    }

    @Test
    void annotated_bean_of_a_child_uses_the_locks_of_its_parent() {
        Runners.inMemory()
                .run(parent -> Runners.starter()
                        .withParent(parent)
                        .withBean(Service.class)
                        .run(child -> {
                            assertThat(child.getBean(Service.class).isLocked(KEY))
                                    .isTrue();
                            try (LockHandle held =
                                    parent.getBean(LockTemplate.class).acquire(KEY)) {
                                assertThat(held.isHeld()).isTrue();
                                assertThatThrownBy(() -> onAnotherThread(child.getBean(Service.class)))
                                        .hasCauseInstanceOf(LockNotAcquiredException.class);
                            }
                        }));
    }

    private static boolean onAnotherThread(Service service) {
        return io.holdfast.lock.testing.NewThread.call(() -> service.isLocked(KEY));
    }

    @Test
    void child_with_the_starter_has_one_template_with_its_parent() {
        Runners.redis()
                .run(parent -> Runners.redis()
                        .withParent(parent)
                        .run(child -> assertThat(child.getBean(LockTemplate.class))
                                .isSameAs(parent.getBean(LockTemplate.class))));
    }

    @Test
    void child_without_the_starter_may_have_other_beans() {
        Runners.inMemory()
                .withBean(Service.class)
                .run(parent -> new ApplicationContextRunner()
                        .withParent(parent)
                        .withBean(Object.class)
                        .run(child -> assertThat(child.getBean(Service.class).isLocked(KEY))
                                .isTrue()));
    }

    @Test
    void lazy_beans_are_locked() {
        lazy(redis("jedis")).run(context -> {
            assertThat(context.getBeanFactory().containsSingleton("holdfastLockTemplate"))
                    .isFalse();
            assertThat(context.getBean(Service.class).isLocked(KEY)).isTrue();
        });
    }

    @Test
    void lazy_application_fails_fast_if_told_so() {
        lazy(Runners.redis(1))
                .withPropertyValues("holdfast.fail-fast=true")
                .run(context -> assertThat(Startup.failureOf(context)).contains("holdfast.fail-fast is true"));
    }
}
