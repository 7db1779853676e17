package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import io.holdfast.lock.api.LockException;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Mono;

class FallbackTest {

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // fallbacks are called by their names
    static class Shop {

        @DistributedLock(key = "'shop'", waitFor = 0, fallbackMethod = "plain")
        public String order(String id) {
            return "ran";
        }

        private String plain(String id) {
            return "plain " + id + " " + LockContext.current().isPresent();
        }

        @DistributedLock(key = "'shop'", waitFor = 0, fallbackMethod = "graded")
        public String pay(String id) {
            return "ran";
        }

        private String graded(String id) {
            return "none";
        }

        private String graded(String id, Exception reason) {
            return "any";
        }

        private String graded(String id, LockNotAcquiredException reason) {
            return reason.key() + " for " + id;
        }

        private String graded(String id, LockException reason) {
            return "lock";
        }

        @DistributedLock(key = "'shop'", waitFor = 0, fallbackMethod = "cancel")
        public String cancel(String id) {
            return "ran";
        }

        private String cancel(String id, Throwable reason) {
            return reason.getClass().getSimpleName();
        }

        @DistributedLock(key = "'shop'", waitFor = 0, fallbackMethod = "storeOnly")
        public String look(Callable<String> work) throws Exception {
            return work.call();
        }

        private String storeOnly(Callable<String> work, LockStoreException reason) {
            return "without store";
        }

        @DistributedLock(key = "'shop'", waitFor = 0, fallbackMethod = "failing")
        public String fails() throws IOException {
            return "ran";
        }

        private String failing() throws IOException {
            throw new IOException("own");
        }

        @DistributedLock(key = "'shop'", waitFor = 0, fallbackMethod = "later")
        public CompletionStage<String> stage() {
            return CompletableFuture.completedFuture("ran");
        }

        private CompletableFuture<String> later(LockStoreException reason) {
            return CompletableFuture.completedFuture("without store");
        }

        @DistributedLock(key = "'shop'", waitFor = 0, fallbackMethod = "reactive")
        public Mono<String> mono() {
            return Mono.just("ran");
        }

        private Mono<String> reactive(LockStoreException reason) {
            return Mono.just("without store");
        }

        private CompletableFuture<String> later() {
            return CompletableFuture.completedFuture("later");
        }

        @DistributedLock(key = "'shop'", waitFor = 0, fallbackMethod = "boxed")
        public int count() {
            return 1;
        }

        static Integer boxed() {
            return 2;
        }
    }

    private final ApplicationContextRunner runner = Runners.inMemory().withBean(Shop.class);

    private static void contended(ApplicationContextRunner application, Function<Shop, Object> call, Object expected) {
        application.run(context -> {
            try (var other = context.getBean(LockTemplate.class).acquire("shop").detach()) {
                assertThat(call.apply(context.getBean(Shop.class))).isEqualTo(expected);
                assertThat(other.isHeld()).isTrue();
            }
        });
    }

    @Test
    void fallback_has_the_arguments_and_no_lock() {
        contended(runner, shop -> shop.order("7"), "plain 7 false");
    }

    @Test
    void most_specific_exception_wins() {
        contended(runner, shop -> shop.pay("7"), "shop for 7");
    }

    @Test
    void fallback_may_have_the_name_of_the_method() {
        contended(runner, shop -> shop.cancel("7"), "LockNotAcquiredException");
    }

    @Test
    void fallback_of_a_stage_answers_with_a_stage() {
        contended(runner, shop -> shop.stage().toCompletableFuture().join(), "later");
    }

    @Test
    void fallback_may_be_static_and_box_its_result() {
        contended(runner, Shop::count, 2);
    }

    @Test
    void fallback_is_not_called_when_the_lock_is_free() {
        runner.run(context -> assertThat(context.getBean(Shop.class).order("7")).isEqualTo("ran"));
    }

    @Test
    void exception_of_the_fallback_passes_untouched() {
        runner.run(context -> {
            try (var other = context.getBean(LockTemplate.class).acquire("shop").detach()) {
                assertThatThrownBy(() -> context.getBean(Shop.class).fails())
                        .isInstanceOf(IOException.class)
                        .hasMessage("own");
                assertThat(other.isHeld()).isTrue();
            }
        });
    }

    @Test
    void contention_is_thrown_where_the_fallback_is_for_the_store() {
        runner.run(context -> {
            try (var other = context.getBean(LockTemplate.class).acquire("shop").detach()) {
                assertThatThrownBy(() -> context.getBean(Shop.class).look(() -> "ran"))
                        .isInstanceOf(LockNotAcquiredException.class);
                assertThat(other.isHeld()).isTrue();
            }
        });
    }

    private final ApplicationContextRunner failingStore = Runners.withoutStore()
            .withBean(
                    LockTemplate.class,
                    () -> mock(LockTemplate.class, call -> {
                        throw new LockStoreException("down", null, false);
                    }))
            .withBean(Shop.class);

    @Test
    void failure_of_the_store_goes_to_the_fallback_that_asks_for_it() {
        failingStore.run(context ->
                assertThat(context.getBean(Shop.class).look(() -> "ran")).isEqualTo("without store"));
    }

    @Test
    void failure_of_the_store_goes_to_the_fallback_of_a_stage_that_asks_for_it() {
        failingStore.run(context -> assertThat(context.getBean(Shop.class)
                        .stage()
                        .toCompletableFuture()
                        .join())
                .isEqualTo("without store"));
    }

    @Test
    void failure_of_the_store_goes_to_the_fallback_of_a_publisher_that_asks_for_it() {
        failingStore.run(context ->
                assertThat(context.getBean(Shop.class).mono().block()).isEqualTo("without store"));
    }

    @Test
    void failure_of_the_store_does_not_go_to_fallbacks_for_anything() {
        failingStore.run(context -> {
            assertThatThrownBy(() -> context.getBean(Shop.class).cancel("7")).isInstanceOf(LockStoreException.class);
            assertThatThrownBy(() -> context.getBean(Shop.class).pay("7")).isInstanceOf(LockStoreException.class);
        });
    }

    /** Otherwise a test of a part of the application would be green although nothing is locked. */
    @Test
    void missing_template_goes_to_no_fallback() {
        Runners.partForTest().withBean(Shop.class).run(context -> {
            Shop shop = context.getBean(Shop.class);
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> shop.look(() -> "ran"), shop::stage, () -> shop.mono().block(), () -> shop.cancel("7"))) {
                assertThatThrownBy(call)
                        .isInstanceOf(LockConfigurationException.class)
                        .hasMessage("There is no LockTemplate: the application or the test slice excludes the lock"
                                + " auto-configuration or Spring Data Redis. Add @AutoConfigureTestLocks (from"
                                + " lock-spring-boot-test) to the test, or a LockStore or LockTemplate bean.");
            }
        });
    }

    @Test
    void failure_of_a_store_inside_the_method_is_its_own() {
        var own = new LockStoreException("inner", null, false);
        runner.run(context -> assertThatThrownBy(
                        () -> context.getBean(Shop.class).look(() -> {
                            throw own;
                        }))
                .isSameAs(own));
    }

    abstract static class Base<T> {

        @DistributedLock(key = "'shop'", waitFor = 0, fallbackMethod = "busy")
        public abstract String run(T value);

        @SuppressWarnings("UnusedMethod")
        private String busy(T value) {
            return "busy with " + value;
        }
    }

    static class Generic extends Base<Long> {
        @Override
        public String run(Long value) {
            return "ran";
        }
    }

    @Test
    void generic_parameters_are_compared_as_the_class_of_the_bean_has_them() {
        Runners.inMemory().withBean(Generic.class).run(context -> {
            try (var other = context.getBean(LockTemplate.class).acquire("shop").detach()) {
                assertThat(context.getBean(Generic.class).run(5L)).isEqualTo("busy with 5");
                assertThat(other.isHeld()).isTrue();
            }
        });
    }

    abstract static class Wider<T> {
        public Object busy(T value) {
            return "wider";
        }
    }

    static class Narrower extends Wider<Long> {

        @DistributedLock(key = "'shop'", waitFor = 0, fallbackMethod = "busy")
        public String run(Long value) {
            return "ran";
        }

        @Override
        public String busy(Long value) {
            return "busy with " + value;
        }
    }

    @Test
    void fallback_that_overrides_a_generic_method_is_meant_alone() {
        Runners.inMemory().withBean(Narrower.class).run(context -> {
            try (var other = context.getBean(LockTemplate.class).acquire("shop").detach()) {
                assertThat(context.getBean(Narrower.class).run(5L)).isEqualTo("busy with 5");
                assertThat(other.isHeld()).isTrue();
            }
        });
    }

    @DistributedLock(key = "'shop'", waitFor = 0, fallbackMethod = "busy")
    static class OfClass {
        public String run() {
            return "ran";
        }

        public String busy() {
            return "busy";
        }
    }

    @Test
    void fallback_of_a_class_is_not_locked_itself() {
        Runners.inMemory().withBean(OfClass.class).run(context -> {
            try (var other = context.getBean(LockTemplate.class).acquire("shop").detach()) {
                assertThat(context.getBean(OfClass.class).run()).isEqualTo("busy");
                assertThat(context.getBean(OfClass.class).busy()).isEqualTo("busy");
                assertThat(other.isHeld()).isTrue();
            }
        });
    }

    interface Service {
        @DistributedLock(key = "'shop'", waitFor = 0, fallbackMethod = "busy")
        String run(long id);

        default String busy(long id) {
            return "busy with " + id;
        }
    }

    @Test
    void fallback_of_an_interface_may_be_a_default_method() {
        Runners.inMemory()
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(Service.class, () -> id -> "ran")
                .run(context -> {
                    try (var other =
                            context.getBean(LockTemplate.class).acquire("shop").detach()) {
                        assertThat(context.getBean(Service.class).run(3)).isEqualTo("busy with 3");
                        assertThat(other.isHeld()).isTrue();
                    }
                });
    }

    static class Missing {
        @DistributedLock(key = "'x'", fallbackMethod = "nowhere")
        public String run(String id, long more) {
            return id;
        }
    }

    static class OtherParameters {
        @DistributedLock(key = "'x'", fallbackMethod = "other")
        public String run(String id) {
            return id;
        }

        public String other(long id) {
            return "";
        }
    }

    static class OtherParametersTwice extends OtherParameters {
        @Override
        @DistributedLock(key = "'x'", fallbackMethod = "other")
        public String run(String id) {
            return id;
        }

        public String other(int id) {
            return "";
        }
    }

    static class OtherResult {
        @DistributedLock(key = "'x'", fallbackMethod = "other")
        public String run() {
            return "";
        }

        public Object other() {
            return "";
        }
    }

    static class OtherException {
        @DistributedLock(key = "'x'", fallbackMethod = "other")
        public String run() {
            return "";
        }

        public String other(IllegalStateException reason) {
            return "";
        }
    }

    static class WithSkip {
        @DistributedLock(key = "'x'", fallbackMethod = "other", onContention = OnContention.SKIP)
        public void run() {}

        public void other() {}
    }

    private static void fails(Class<?> bean, String... texts) {
        Runners.inMemory()
                .withBean(bean)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(bean.getSimpleName() + ".run(")
                        .contains(texts));
    }

    @Test
    void missing_fallback_fails_startup_and_is_written_down() {
        fails(
                Missing.class,
                "fallbackMethod = \"nowhere\", but there is no such method",
                "String nowhere(String, long), or String nowhere(String, long, LockNotAcquiredException)");
    }

    @Test
    void fallback_with_other_parameters_fails_startup() {
        fails(OtherParameters.class, "but other(long) does not match", "String other(String)");
        fails(OtherParametersTwice.class, "but other(int) and other(long) do not match", "String other(String)");
    }

    @Test
    void fallback_with_another_result_fails_startup() {
        fails(OtherResult.class, "other() returns Object, not String");
    }

    @Test
    void fallback_for_another_exception_fails_startup() {
        fails(OtherException.class, "other(IllegalStateException) takes IllegalStateException", "LockStoreException");
    }

    @Test
    void fallback_and_skip_together_fail_startup() {
        fails(WithSkip.class, "both onContention = SKIP and fallbackMethod = \"other\"");
    }

    @DistributedLock(key = "'shop'", waitFor = 0, fallbackMethod = "${app.fallback}")
    public static class ByProperty {

        public String order() {
            return "ran";
        }

        public String instead() {
            return "instead";
        }
    }

    @Test
    void name_of_a_fallback_may_be_a_placeholder() {
        Runners.inMemory()
                .withBean(ByProperty.class)
                .withPropertyValues("app.fallback=instead")
                .run(context -> {
                    ByProperty bean = context.getBean(ByProperty.class);
                    try (LockHandle held =
                            context.getBean(LockTemplate.class).acquire("shop").detach()) {
                        assertThat(bean.order()).isEqualTo("instead");
                        assertThat(bean.instead()).isEqualTo("instead"); // which is not locked
                    }
                });
    }

    @Test
    void unknown_placeholder_of_a_fallback_fails_the_start() {
        Runners.inMemory()
                .withBean(ByProperty.class)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("fallbackMethod = \"${app.fallback}\", but a property in it is not set."));
    }
}
