package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LossCause;
import io.holdfast.lock.spring.Bystander;
import io.holdfast.lock.spring.Runners;
import java.util.UUID;
import org.crac.Context;
import org.crac.Resource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.test.util.ReflectionTestUtils;

/** What happens to locks around a checkpoint, as CRaC announces it. */
class LockCheckpointTest {

    private final Bystander bystander = new Bystander();
    private final LockRequest request = LockRequest.of("checkpoint-" + UUID.randomUUID());

    @AfterEach
    void close() {
        bystander.close();
    }

    @Test
    @SuppressWarnings("NullAway") // the context that CRaC hands over is not used
    void held_locks_are_lost_at_a_checkpoint_and_the_restored_process_is_another_client() {
        Context<? extends Resource> none = null;
        Runners.redis().withPropertyValues("holdfast.shutdown.timeout=0s").run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockAutoConfiguration.Checkpoint checkpoint = context.getBean(LockAutoConfiguration.Checkpoint.class);
            LockHandle handle = locks.acquire(request);
            String before =
                    bystander.holderOf(request.key().value()).orElseThrow().clientId();

            checkpoint.beforeCheckpoint(none);
            assertThat(bystander.holderOf(request.key().value())).isEmpty();
            assertThatThrownBy(() -> locks.acquire(request)).hasMessageContaining("checkpoint");

            checkpoint.afterRestore(none);
            assertThatThrownBy(handle::close)
                    .isInstanceOfSatisfying(
                            LockLostException.class,
                            loss -> assertThat(loss.lossCause()).isEqualTo(LossCause.CHECKPOINT));
            try (LockHandle again = locks.acquire(request)) {
                assertThat(again.isHeld()).isTrue();
                assertThat(bystander.holderOf(request.key().value()))
                        .hasValueSatisfying(
                                holder -> assertThat(holder.clientId()).isNotEqualTo(before));
            }
        });
    }

    /** Spring starts its parts again before it tells the resources that were registered later. */
    @Test
    @SuppressWarnings("NullAway") // the context that CRaC hands over is not used
    void locks_are_back_when_spring_starts_the_parts_that_may_need_them() {
        Context<? extends Resource> none = null;
        Runners.redis().withPropertyValues("holdfast.shutdown.timeout=0s").run(context -> {
            Object spring = context.getBean(AbstractApplicationContext.LIFECYCLE_PROCESSOR_BEAN_NAME);
            for (int checkpoint = 0; checkpoint < 2; checkpoint++) {
                context.getBean(LockAutoConfiguration.Checkpoint.class).beforeCheckpoint(none);
                ReflectionTestUtils.invokeMethod(spring, "stopForRestart");
                ReflectionTestUtils.invokeMethod(spring, "restartAfterStop");
                context.getBean(LockTemplate.class).acquire(request).close();
                context.getBean(LockAutoConfiguration.Checkpoint.class).afterRestore(none);
                context.getBean(LockTemplate.class).acquire(request).close();
            }
        });
    }

    @Test
    void locks_go_on_while_the_context_is_merely_stopped() {
        Runners.redis().run(context -> {
            context.getSourceApplicationContext(ConfigurableApplicationContext.class)
                    .stop();
            assertThat(context.getBean(LockShutdown.class).isRunning()).isTrue();
            context.getBean(LockTemplate.class).acquire(request).close();
        });
    }

    @Test
    @SuppressWarnings("NullAway") // the context that CRaC hands over is not used
    void held_locks_are_lost_at_a_checkpoint_although_the_application_replaces_the_shutdown() {
        Context<? extends Resource> none = null;
        Runners.redis()
                .withPropertyValues("holdfast.shutdown.timeout=0s")
                .withBean("holdfastShutdown", String.class, () -> "own")
                .run(context -> {
                    LockHandle handle = context.getBean(LockTemplate.class).acquire(request);
                    LockAutoConfiguration.Checkpoint checkpoint =
                            context.getBean(LockAutoConfiguration.Checkpoint.class);
                    checkpoint.beforeCheckpoint(none);
                    assertThat(bystander.holderOf(request.key().value())).isEmpty();
                    checkpoint.afterRestore(none);
                    assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
                });
    }

    @Test
    void bean_is_made_although_all_are_lazy() {
        Runners.redis()
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(context.getBeanFactory()
                                .containsSingleton(LockAutoConfiguration.Checkpoint.class.getName()))
                        .isTrue());
    }

    @Test
    void without_the_api_of_crac_nothing_is_registered() {
        Runners.redis()
                .withClassLoader(new FilteredClassLoader("org.crac"))
                .run(context ->
                        assertThat(context).hasNotFailed().doesNotHaveBean(LockAutoConfiguration.Checkpoint.class));
    }
}
