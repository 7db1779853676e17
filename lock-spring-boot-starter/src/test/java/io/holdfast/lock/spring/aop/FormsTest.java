package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.LockRequestCustomizer;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AliasFor;

/** Where the annotation may stand, and in what form. Each method answers what it locks. */
class FormsTest {

    static String held() {
        return LockContext.current().map(LockHandle::key).map(LockKey::value).orElse("none");
    }

    record Order(long id) {}

    interface Handler<T> {
        String handle(T subject);

        default String handleLater(T subject) {
            return "not locked, since the annotation is on the class's own method";
        }
    }

    static class OrderHandler implements Handler<Order> {

        @Override
        @DistributedLock(name = "order", key = "#subject.id")
        public String handle(Order subject) {
            return held();
        }

        @Override
        @DistributedLock(name = "later", key = "#p0.id")
        public String handleLater(Order subject) {
            return held();
        }
    }

    private static String calledAs(Handler<Order> handler) {
        return handler.handle(new Order(42));
    }

    @Test
    void generic_method_is_locked_through_its_interface_by_a_class_proxy() {
        Runners.inMemory().withBean(OrderHandler.class).run(context -> {
            OrderHandler bean = context.getBean(OrderHandler.class);
            assertThat(AopUtils.isCglibProxy(bean)).isTrue();
            assertThat(calledAs(bean)).isEqualTo("order:42");
            assertThat(bean.handle(new Order(43))).isEqualTo("order:43");
        });
    }

    @Test
    @SuppressWarnings("unchecked")
    void generic_method_is_locked_by_a_jdk_proxy() {
        Runners.inMemory()
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(OrderHandler.class)
                .run(context -> {
                    Handler<Order> bean = context.getBean(Handler.class);
                    assertThat(AopUtils.isJdkDynamicProxy(bean)).isTrue();
                    assertThat(calledAs(bean)).isEqualTo("order:42");
                    assertThat(bean.handleLater(new Order(1))).isEqualTo("later:1");
                });
    }

    interface Crud<T> {
        String save(T subject);
    }

    @DistributedLock(name = "orders")
    interface Orders extends Crud<Order> {}

    static class GeneralCrud implements Crud<Order> {
        @Override
        public String save(Order subject) {
            return held();
        }
    }

    /** As Spring Data makes them: the annotated interface is the proxy's alone. */
    private static Orders repository() {
        ProxyFactory proxies = new ProxyFactory(new GeneralCrud());
        proxies.setInterfaces(Orders.class);
        return (Orders) proxies.getProxy();
    }

    @Test
    void inherited_method_of_a_repository_is_locked_by_the_annotation_of_its_interface() {
        Runners.inMemory()
                .withBean(Orders.class, FormsTest::repository)
                .run(context -> assertThat(context.getBean(Orders.class).save(new Order(42)))
                        .isEqualTo("orders"));
    }

    abstract static class Template<T> {

        @DistributedLock(name = "template", key = "#subject")
        public String run(T subject) {
            return held();
        }
    }

    static class Inherited extends Template<Long> {}

    static class Overriding extends Template<Long> {
        @Override
        public String run(Long number) {
            return held();
        }
    }

    @Test
    void inherited_method_is_locked() {
        Runners.inMemory()
                .withBean(Inherited.class)
                .run(context ->
                        assertThat(context.getBean(Inherited.class).run(7L)).isEqualTo("template:7"));
    }

    @Test
    void overriding_method_is_locked_by_the_names_of_the_parameters_where_the_annotation_stands() {
        Runners.inMemory()
                .withBean(Overriding.class)
                .run(context ->
                        assertThat(context.getBean(Overriding.class).run(7L)).endsWith("7"));
    }

    @DistributedLock(name = "of-super", key = "#root.methodName")
    static class Parent {
        public String inherited() {
            return held();
        }
    }

    static class Child extends Parent {
        public String own() {
            return held();
        }
    }

    @Test
    void annotation_of_a_super_class_locks_its_children() {
        Runners.inMemory().withBean(Child.class).run(context -> {
            assertThat(context.getBean(Child.class).inherited()).isEqualTo("of-super:inherited");
            assertThat(context.getBean(Child.class).own()).isEqualTo("of-super:own");
        });
    }

    @DistributedLock(name = "job", waitFor = 0, onContention = OnContention.SKIP)
    @Target({ElementType.METHOD, ElementType.TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @interface Job {

        @AliasFor(annotation = DistributedLock.class, attribute = "key")
        String value();

        @AliasFor(annotation = DistributedLock.class, attribute = "minHoldString")
        String minHold() default "";

        @AliasFor(annotation = DistributedLock.class, attribute = "mode")
        LockMode mode() default LockMode.SHARED;
    }

    @Job("'tables'")
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface TableJob {
        @AliasFor(annotation = Job.class, attribute = "minHold")
        String minHold();
    }

    static class Jobs {
        @Job("'cleanup'")
        public void cleanup() {}

        @TableJob(minHold = "${app.time}")
        public void tables() {}
    }

    @Test
    void composed_annotations_hand_attributes_on_over_two_levels() {
        List<LockRequest> requests = new ArrayList<>();
        LockRequestCustomizer recorder = (request, method) -> {
            requests.add(request);
            return request;
        };
        Runners.inMemory()
                .withPropertyValues("app.time=90s")
                .withBean(Jobs.class)
                .withBean(LockRequestCustomizer.class, () -> recorder)
                .run(context -> {
                    context.getBean(Jobs.class).cleanup();
                    context.getBean(Jobs.class).tables();
                });
        LockRequest cleanup = LockRequest.of("job:cleanup").name("job").shared().waitFor(Duration.ZERO);
        assertThat(requests)
                .containsExactly(
                        cleanup,
                        LockRequest.of("job:tables")
                                .name("job")
                                .shared()
                                .waitFor(Duration.ZERO)
                                .minHold(Duration.ofSeconds(90)));
    }

    static class Modes {

        @DistributedLock(name = "catalogue", mode = LockMode.SHARED, waitFor = 0)
        public String read() {
            return held();
        }

        @DistributedLock(name = "catalogue", waitFor = 0, onContention = OnContention.SKIP)
        public String write() {
            return held();
        }

        @DistributedLock(name = "gateway", mode = LockMode.SHARED, limit = 2, waitFor = 0, fallbackMethod = "full")
        public String permit() {
            return held();
        }

        @SuppressWarnings("UnusedMethod")
        private String full() {
            return "full";
        }
    }

    @Test
    void shared_methods_run_together_and_exclude_exclusive_ones() {
        Runners.inMemory().withBean(Modes.class).run(context -> {
            LockTemplate template = context.getBean(LockTemplate.class);
            try (LockHandle reader =
                    template.acquire(LockRequest.of("catalogue").shared()).detach()) {
                assertThat(context.getBean(Modes.class).read()).isEqualTo("catalogue");
                assertThat(context.getBean(Modes.class).write()).isNull();
                assertThat(reader.isHeld()).isTrue();
            }
            assertThat(context.getBean(Modes.class).write()).isEqualTo("catalogue");
        });
    }

    @Test
    void limit_is_the_number_of_permits() {
        Runners.inMemory().withBean(Modes.class).run(context -> {
            LockTemplate template = context.getBean(LockTemplate.class);
            LockRequest permit = LockRequest.of("gateway").shared(2);
            try (LockHandle first = template.acquire(permit).detach()) {
                assertThat(context.getBean(Modes.class).permit()).isEqualTo("gateway");
                try (LockHandle second = template.acquire(permit).detach()) {
                    assertThat(context.getBean(Modes.class).permit()).isEqualTo("full");
                    assertThat(List.of(first, second)).allMatch(LockHandle::isHeld);
                }
            }
        });
    }

    /** As Kotlin compiles {@code fun pay(id: String?, note: String = "")}. */
    @DistributedLock(name = "kotlin", key = "#id ?: 'nobody'")
    static class KotlinStyle {

        public String pay(@org.jspecify.annotations.Nullable String id, String note) {
            return held();
        }

        @SuppressWarnings("MethodName")
        public static String pay$default(KotlinStyle self, String id, String note, int mask, Object marker) {
            return self.pay(id, note);
        }
    }

    @Test
    void nullable_parameter_may_have_a_key_in_its_place() {
        Runners.inMemory().withBean(KotlinStyle.class).run(context -> {
            KotlinStyle bean = context.getBean(KotlinStyle.class);
            assertThat(bean.pay(null, "")).isEqualTo("kotlin:nobody");
            assertThat(KotlinStyle.pay$default(bean, "7", "", 2, null)).isEqualTo("kotlin:7");
        });
    }

    static class MinHold {
        @DistributedLock(key = "'kept'", minHold = 60, waitFor = 0, onContention = OnContention.SKIP)
        public String run() {
            return held();
        }
    }

    @Test
    void minimum_hold_keeps_the_same_method_out_too() {
        Runners.inMemory().withBean(MinHold.class).run(context -> {
            MinHold bean = context.getBean(MinHold.class);
            assertThat(bean.run()).isEqualTo("kept");
            assertThat(bean.run()).isNull();
        });
    }

    @Test
    void minimum_hold_does_not_reenter() {
        Runners.inMemory()
                .withBean(MinHold.class)
                .run(context -> assertThatThrownBy(() -> context.getBean(LockTemplate.class)
                                .execute(
                                        "kept",
                                        () -> context.getBean(MinHold.class).run()))
                        .isInstanceOf(IllegalStateException.class)
                        .isNotInstanceOf(LockKeyException.class)
                        .hasMessageContaining("minHold"));
    }
}
