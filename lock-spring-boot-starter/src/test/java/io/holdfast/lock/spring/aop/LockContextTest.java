package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockAssert;
import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What code inside of an annotated method sees of its lock. */
class LockContextTest {

    static class Locked {

        @DistributedLock(name = "outer", key = "#id")
        public Object outer(Object id, Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(name = "inner", key = "#id")
        public Object inner(Object id, Callable<?> work) throws Exception {
            return work.call();
        }

        public Object innerOnThis(Object id, Callable<?> work) throws Exception {
            return inner(id, work);
        }

        @DistributedLock(name = "stage")
        public CompletableFuture<String> stage(CompletableFuture<String> begun) {
            return begun.thenApply(any -> key() + " then").thenApply(then -> then + ", " + key());
        }

        @DistributedLock(name = "stage")
        public CompletableFuture<String> completed() {
            return CompletableFuture.completedFuture(key());
        }

        private static String key() {
            return LockContext.current()
                    .map(LockHandle::key)
                    .map(LockKey::value)
                    .orElse("none");
        }
    }

    private final ApplicationContextRunner runner = Runners.inMemory().withBean(Locked.class);

    private interface Body {
        void run(Locked locked) throws Exception;
    }

    private void inContext(Body body) {
        runner.run(context -> body.run(context.getBean(Locked.class)));
    }

    @AfterEach
    void nothing_is_left_on_the_thread() {
        LockAssert.TestHelper.makeAllAssertsPass(false);
        assertThat(LockContext.current()).isEmpty();
    }

    @Test
    void current_lock_is_that_of_the_innermost_method() {
        inContext(locked -> {
            Object seen = locked.outer(1, () -> locked.inner(2, Locked::key) + " then " + Locked.key());
            assertThat(seen).isEqualTo("inner:2 then outer:1");
        });
    }

    @Test
    void current_lock_has_its_token_and_is_held() {
        inContext(locked -> locked.outer(1, () -> {
            LockHandle lock = LockContext.current().orElseThrow();
            assertThat(lock.isHeld()).isTrue();
            assertThat(lock.fencingToken()).isPositive();
            return null;
        }));
    }

    @Test
    void current_lock_ends_with_a_method_that_throws() {
        inContext(locked -> locked.outer(1, () -> {
            assertThatThrownBy(() -> locked.inner(2, () -> {
                        throw new IllegalStateException("own");
                    }))
                    .hasMessage("own");
            assertThat(Locked.key()).isEqualTo("outer:1");
            return null;
        }));
    }

    @Test
    void other_threads_do_not_see_it() {
        inContext(locked -> {
            Object seen = locked.outer(
                    1, () -> CompletableFuture.supplyAsync(Locked::key).join());
            assertThat(seen).isEqualTo("none");
        });
    }

    @Test
    void method_that_returns_a_stage_sees_it_on_its_thread_only() {
        inContext(locked -> {
            assertThat(locked.completed().join()).isEqualTo("stage");
            CompletableFuture<String> begun = new CompletableFuture<>();
            CompletableFuture<String> stage = locked.stage(begun);
            begun.complete("");
            assertThat(stage.join()).isEqualTo("none then, none");
        });
    }

    @Test
    void assertion_passes_inside_a_locked_method() {
        inContext(locked -> locked.outer(1, () -> {
            LockAssert.assertLocked();
            LockAssert.assertLocked("outer:1");
            return null;
        }));
    }

    @Test
    void assertion_finds_a_call_on_this() {
        inContext(locked -> assertThatThrownBy(() -> locked.innerOnThis(1, () -> {
                    LockAssert.assertLocked();
                    return null;
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("bypassed the proxy", "LockTemplate", "evaluated to false"));
    }

    @Test
    void assertion_with_a_key_finds_a_call_on_this_from_another_locked_method() {
        inContext(locked -> locked.outer(1, () -> {
            LockAssert.assertLocked();
            assertThatThrownBy(() -> locked.innerOnThis(1, () -> {
                        LockAssert.assertLocked("inner:1");
                        return null;
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("'inner:1'");
            return null;
        }));
    }

    @Test
    void assertion_with_a_key_knows_methods_further_out() {
        inContext(locked -> locked.outer(
                1,
                () -> locked.inner(2, () -> {
                    LockAssert.assertLocked("outer:1");
                    return null;
                })));
    }

    @Test
    void assertions_pass_where_a_test_wants_them_to() {
        LockAssert.TestHelper.makeAllAssertsPass(true);
        assertThatCode(() -> {
                    LockAssert.assertLocked();
                    LockAssert.assertLocked("any");
                })
                .doesNotThrowAnyException();
        LockAssert.TestHelper.makeAllAssertsPass(false);
        assertThatThrownBy(LockAssert::assertLocked).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void assertions_that_pass_are_those_of_one_thread() {
        LockAssert.TestHelper.makeAllAssertsPass(true);
        assertThat(CompletableFuture.supplyAsync(LockContextTest::assertionFails)
                        .join())
                .isTrue();
    }

    private static boolean assertionFails() {
        try {
            LockAssert.assertLocked();
            return false;
        } catch (IllegalStateException expected) {
            return true;
        }
    }

    @Test
    void scope_of_one_s_own_makes_a_handle_the_current_one() {
        runner.run(context -> {
            try (LockHandle lock = context.getBean(LockTemplate.class).acquire("own");
                    LockContext.Scope scope = LockContext.open(lock)) {
                LockAssert.assertLocked("own");
                assertThat(LockContext.current()).containsSame(lock);
                assertThat(scope).isNotNull();
            }
        });
    }

    @Test
    void scope_ends_those_inside_that_were_left_open() {
        runner.run(context -> {
            LockTemplate template = context.getBean(LockTemplate.class);
            try (LockHandle lock = template.acquire("one")) {
                LockContext.Scope outer = LockContext.open(lock);
                LockContext.Scope left = LockContext.open(lock);
                outer.close();
                assertThat(LockContext.current()).isEmpty();
                left.close();
                assertThat(LockContext.current()).isEmpty();
            }
        });
    }

    @Test
    void scope_that_has_ended_ends_no_other() {
        runner.run(context -> {
            try (LockHandle lock = context.getBean(LockTemplate.class).acquire("one")) {
                LockContext.Scope first = LockContext.open(lock);
                first.close();
                LockContext.Scope second = LockContext.open(lock);
                first.close();
                Optional<LockHandle> current = LockContext.current();
                second.close();
                assertThat(current).containsSame(lock);
            }
        });
    }

    @Test
    void scope_closed_on_another_thread_ends_nothing() {
        runner.run(context -> {
            try (LockHandle lock = context.getBean(LockTemplate.class).acquire("one")) {
                LockContext.Scope scope = LockContext.open(lock);
                CompletableFuture.runAsync(scope::close).join();
                Optional<LockHandle> current = LockContext.current();
                scope.close();
                assertThat(current).containsSame(lock);
            }
        });
    }
}
