package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.aop.Annotated.Colour;
import io.holdfast.lock.spring.aop.Annotated.Keys;
import io.holdfast.lock.spring.aop.Annotated.Naming;
import io.holdfast.lock.spring.aop.Annotated.Order;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class LockedMethodTest {

    private final ApplicationContextRunner runner = Runners.inMemory()
            .withBean(Keys.class)
            .withBean("naming", Naming.class)
            .withBean(Annotated.OfClass.class)
            .withBean(Annotated.ServiceImpl.class)
            .withBean(Annotated.Composed.class)
            .withBean(Annotated.Inner.class)
            .withBean(Annotated.Outer.class);

    private interface Body {
        void run(ApplicationContext context) throws Exception;
    }

    private void inContext(Body body) {
        runner.run(context -> body.run(context));
    }

    private static Callable<Boolean> heldNow(ApplicationContext context, String key) {
        LockTemplate template = context.getBean(LockTemplate.class);
        return () -> template.inspect(key).holder().isPresent();
    }

    private static Keys keys(ApplicationContext context) {
        return context.getBean(Keys.class);
    }

    @Test
    void key_is_a_property_of_a_parameter() {
        inContext(context -> assertThat(keys(context).byProperty(new Order(42), heldNow(context, "42")))
                .isEqualTo(true));
    }

    @Test
    void key_names_parameters_by_position() {
        inContext(context -> assertThat(keys(context).byPosition("a", 7, heldNow(context, "a-7")))
                .isEqualTo(true));
    }

    @Test
    void name_comes_before_the_key() {
        inContext(context -> assertThat(keys(context).named(42, heldNow(context, "order:42")))
                .isEqualTo(true));
    }

    @Test
    void name_alone_is_the_key() {
        inContext(context -> assertThat(keys(context).onlyName(heldNow(context, "only-name")))
                .isEqualTo(true));
    }

    @Test
    void key_is_a_literal() {
        inContext(context ->
                assertThat(keys(context).literal(heldNow(context, "nightly"))).isEqualTo(true));
    }

    @Test
    void key_reads_the_root() {
        inContext(context -> assertThat(keys(context).byRoot(heldNow(context, "byRoot/1/prefix/Keys/byRoot")))
                .isEqualTo(true));
    }

    @Test
    void key_calls_a_bean_once_for_each_call() {
        inContext(context -> {
            UUID id = UUID.randomUUID();
            assertThat(keys(context).byBean(id, heldNow(context, "named-" + id)))
                    .isEqualTo(true);
            assertThat(context.getBean(Naming.class).calls).isOne();
        });
    }

    @Test
    void enum_key_is_its_name() {
        inContext(context -> assertThat(keys(context).named(Colour.RED, heldNow(context, "order:RED")))
                .isEqualTo(true));
    }

    @Test
    void optional_key_is_its_value() {
        inContext(context -> assertThat(keys(context).named(Optional.of(3L), heldNow(context, "order:3")))
                .isEqualTo(true));
    }

    @Test
    void lock_is_released_when_the_method_returns() {
        inContext(context -> {
            keys(context).literal(() -> null);
            assertThat(heldNow(context, "nightly").call()).isFalse();
        });
    }

    @Test
    void lock_is_released_when_the_method_throws_and_the_exception_passes_untouched() {
        inContext(context -> {
            Exception own = new java.io.IOException("own");
            assertThatThrownBy(() -> keys(context).literal(() -> {
                        throw own;
                    }))
                    .isSameAs(own);
            assertThat(heldNow(context, "nightly").call()).isFalse();
        });
    }

    @Test
    void null_key_names_method_and_expression() {
        inContext(context -> assertThatThrownBy(() -> keys(context).byProperty(new Order(null), () -> "ran"))
                .isInstanceOf(LockKeyException.class)
                .hasMessageContainingAll("Keys.byProperty(Order, Callable)", "#order.id", "is null"));
    }

    @Test
    void blank_key_is_refused_also_with_a_name() {
        inContext(context -> assertThatThrownBy(() -> keys(context).named(" ", () -> "ran"))
                .isInstanceOf(LockKeyException.class)
                .hasMessageContainingAll("named", "#id", "is blank"));
    }

    @Test
    void key_that_cannot_be_written_names_the_method() {
        inContext(context -> assertThatThrownBy(() -> keys(context).named("\ud800", () -> "ran"))
                .isInstanceOf(LockKeyException.class)
                .hasMessageContainingAll("Keys.named", "surrogate"));
    }

    @Test
    void unknown_property_is_a_key_error_with_its_cause() {
        inContext(context -> assertThatThrownBy(() -> keys(context).unknownProperty(new Order(1), () -> "ran"))
                .isInstanceOf(LockKeyException.class)
                .hasMessageContainingAll("#order.nmber", "nmber", "Available: #order")
                .hasCauseInstanceOf(org.springframework.expression.EvaluationException.class));
    }

    @Test
    void object_without_a_text_of_its_own_is_refused() {
        inContext(context -> assertThatThrownBy(() -> keys(context).named(new Object(), () -> "ran"))
                .isInstanceOf(LockKeyException.class)
                .hasMessageContaining("does not override toString()"));
    }

    @Test
    void annotation_of_a_class_locks_its_public_methods() {
        inContext(context -> assertThat(context.getBean(Annotated.OfClass.class).locked(heldNow(context, "of-class")))
                .isEqualTo(true));
    }

    @Test
    void annotation_of_a_class_leaves_other_methods_alone() {
        inContext(
                context -> assertThat(context.getBean(Annotated.OfClass.class).notPublic(heldNow(context, "of-class")))
                        .isEqualTo(false));
    }

    @Test
    void annotation_of_a_method_wins_over_the_class() {
        inContext(context -> {
            var bean = context.getBean(Annotated.OfClass.class);
            assertThat(bean.own(heldNow(context, "of-method"))).isEqualTo(true);
            assertThat(bean.own(heldNow(context, "of-class"))).isEqualTo(false);
        });
    }

    @Test
    void annotation_of_an_interface_method_locks_a_class_proxy() {
        inContext(context -> {
            var bean = context.getBean(Annotated.ServiceImpl.class);
            assertThat(AopUtils.isCglibProxy(bean)).isTrue();
            assertThat(bean.run("1", heldNow(context, "of-interface-1"))).isEqualTo(true);
        });
    }

    @Test
    void annotation_of_an_interface_method_locks_a_jdk_proxy_of_a_final_class() {
        Runners.inMemory()
                .withPropertyValues("spring.aop.proxy-target-class=false")
                .withBean(Annotated.FinalService.class)
                .run(context -> {
                    var bean = context.getBean(Annotated.Service.class);
                    assertThat(AopUtils.isJdkDynamicProxy(bean)).isTrue();
                    assertThat(bean.run("1", heldNow(context, "of-interface-1")))
                            .isEqualTo(true);
                });
    }

    @Test
    void lambda_bean_is_locked_by_its_interface() {
        Runners.inMemory()
                .withBean(Annotated.Service.class, () -> (id, work) -> work.call())
                .run(context -> assertThat(
                                context.getBean(Annotated.Service.class).run("1", heldNow(context, "of-interface-1")))
                        .isEqualTo(true));
    }

    @Test
    void composed_annotation_hands_its_attributes_on() {
        inContext(context -> assertThat(
                        context.getBean(Annotated.Composed.class).run("9", heldNow(context, "composed:9")))
                .isEqualTo(true));
    }

    @Test
    void locked_bean_calls_another_with_the_same_key() {
        inContext(context -> assertThat(context.getBean(Annotated.Outer.class).run(() -> "ran"))
                .isEqualTo("ran"));
    }

    @Test
    void locked_method_reenters_the_lock_of_the_template() {
        inContext(context -> {
            Object result = context.getBean(LockTemplate.class)
                    .execute(
                            "nested",
                            () -> context.getBean(Annotated.Inner.class).run(() -> "ran"));
            assertThat(result).isEqualTo("ran");
        });
    }
}
