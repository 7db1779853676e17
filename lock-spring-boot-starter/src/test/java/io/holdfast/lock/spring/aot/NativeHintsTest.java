package io.holdfast.lock.spring.aot;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.store.LockStore;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import kotlin.UInt;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AliasFor;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** What a native image is told of an application. */
class NativeHintsTest {

    public record Order(Customer customer, List<Item> items, UUID number) {}

    public static class Customer {

        public String getId() {
            return "c-1";
        }

        public String getName() {
            return "Ada";
        }
    }

    public interface Article {
        String code();
    }

    record Item(String code) implements Article {}

    public static class Node<T extends Comparable<T>> {
        public T value;
        public Node<T> next;
    }

    public static class Naming {
        public String keyOf(Order order) {
            return order.customer().getId();
        }

        public String getLease() {
            return "5s";
        }
    }

    @DistributedLock
    @Retention(RetentionPolicy.RUNTIME)
    @interface OrderLock {
        @AliasFor(annotation = DistributedLock.class, attribute = "key")
        String value();
    }

    interface Shipping {
        @DistributedLock(keys = "#order.items.![code]")
        void ship(Order order);
    }

    /** The proxy of the bean's class has Spring register that class, and not this one. */
    public abstract static class Later {

        void later(Order order) {}
    }

    @DistributedLock(name = "shop")
    public static class Shop extends Later implements Shipping {

        @OrderLock("#order.customer.id + #p0.number")
        public void pay(Order order) {}

        @DistributedLock(
                key = "@naming.keyOf(#order)",
                condition = "#order.toString().isBlank()",
                fallbackMethod = "later")
        public void charge(Order order) {}

        @DistributedLock(key = "T(java.util.Objects).hash(#a) + T(unknown.Type).x() + @missing")
        public void hash(String a) {}

        @DistributedLock(key = "#node.next.value.length()")
        public void walk(Node<String> node) {}

        @DistributedLock(name = "from", key = "#from.strip()", leaseString = "#{@naming.lease}")
        @DistributedLock(name = "to", key = "#to.trim()")
        public void transfer(String from, String to) {}

        @DistributedLock(key = "#number")
        public void count(UInt number) {}

        public void onlyByTheClass() {}

        @Override
        public void ship(Order order) {}
    }

    /** See {@link Later}. */
    public static class Fallbacks {

        static String busy() {
            return "busy";
        }

        static String later(Order order) {
            return "later";
        }

        String muchLater(Order order) {
            return "much later";
        }
    }

    public static class WithFallbacks extends Fallbacks {

        @DistributedLock(name = "static", fallbackMethod = "busy")
        public String locked() {
            return "ran";
        }

        @DistributedLock(
                name = "property",
                key = "${app.key:#order.customer.id}",
                fallbackMethod = "${app.fallback:later}")
        public String byProperty(Order order) {
            return "ran";
        }
    }

    @LeaderOnly("outbox")
    @Retention(RetentionPolicy.RUNTIME)
    @interface OnLeader {}

    interface Publishing {
        @OnLeader
        void publish();
    }

    public abstract static class Inherited {
        @LeaderOnly("outbox")
        public void inherited() {}
    }

    public static class Outbox extends Inherited implements Publishing {
        @Override
        public void publish() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {

        @Bean
        WithFallbacks withFallbacks() {
            return new WithFallbacks();
        }

        @Bean
        Outbox outbox() {
            return new Outbox();
        }

        @Bean
        LockStore store() {
            return new InMemoryLockStore();
        }

        @Bean
        Naming naming() {
            return new Naming();
        }

        @Bean
        Shop shop() {
            return new Shop();
        }
    }

    private static RuntimeHints hints;

    @BeforeAll
    static void process() {
        hints = AheadOfTime.hintsOf(Application.class);
    }

    private static Predicate<RuntimeHints> invocation(Class<?> type, String method) {
        return RuntimeHintsPredicates.reflection().onMethodInvocation(type, method);
    }

    @Test
    void attributes_of_the_annotation_can_be_read() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(DistributedLock.class)
                        .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS))
                .accepts(hints);
    }

    @Test
    void attributes_of_a_composed_annotation_can_be_read() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(OrderLock.class)
                        .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS))
                .accepts(hints);
    }

    @Test
    void locked_methods_can_be_invoked() {
        assertThat(List.of("pay", "charge", "hash", "walk", "onlyByTheClass", "ship"))
                .allMatch(name -> invocation(Shop.class, name).test(hints));
        assertThat(invocation(Shipping.class, "ship")).accepts(hints);
    }

    @Test
    void every_annotation_of_a_method_counts() {
        assertThat(invocation(String.class, "strip")).accepts(hints);
        assertThat(invocation(String.class, "trim")).accepts(hints);
    }

    @Test
    void fallback_can_be_invoked() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(ReflectionUtils.findMethod(Later.class, "later", Order.class)))
                .accepts(hints);
    }

    @Test
    void fallbacks_can_be_invoked_also_if_they_are_static_or_a_property_names_them() {
        assertThat(invocation(Fallbacks.class, "busy")).accepts(hints);
        assertThat(invocation(Fallbacks.class, "later")).accepts(hints);
        assertThat(invocation(Fallbacks.class, "muchLater")).accepts(hints);
    }

    @Test
    void placeholders_of_a_key_are_replaced() {
        RuntimeHints byName = AheadOfTime.hintsOf(Application.class, "app.key=#order.customer.name");
        assertThat(invocation(Customer.class, "getName")).accepts(byName);
    }

    @Test
    void methods_that_run_on_the_leader_only_can_be_invoked() {
        assertThat(invocation(Outbox.class, "publish")).accepts(hints);
        assertThat(invocation(Publishing.class, "publish")).accepts(hints);
        assertThat(invocation(Inherited.class, "inherited")).accepts(hints);
    }

    @Test
    void annotations_that_restrict_to_the_leader_can_be_read() {
        for (Class<?> annotation : List.of(LeaderOnly.class, OnLeader.class)) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onType(annotation)
                            .withMemberCategory(MemberCategory.INVOKE_DECLARED_METHODS))
                    .accepts(hints);
        }
    }

    @Test
    void merged_annotation_can_be_made() {
        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(DistributedLock.class))
                .accepts(hints);
    }

    @Test
    void libraries_that_are_looked_for_by_name_are_found() {
        assertThat(List.of(
                        "reactor.core.publisher.Flux",
                        "reactor.core.scheduler.Schedulers",
                        "org.springframework.data.redis.connection.RedisConnectionFactory"))
                .allMatch(name -> RuntimeHintsPredicates.reflection()
                        .onType(ClassUtils.resolveClassName(name, null))
                        .test(hints));
    }

    @Test
    void conditions_are_expressions_too() {
        assertThat(invocation(String.class, "isBlank")).accepts(hints);
    }

    @Test
    void getters_and_record_accessors_that_a_key_names_can_be_invoked() {
        assertThat(invocation(Order.class, "customer")).accepts(hints);
        assertThat(invocation(Customer.class, "getId")).accepts(hints);
        assertThat(invocation(Order.class, "number")).accepts(hints);
    }

    @Test
    void value_classes_of_kotlin_can_be_opened() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(ReflectionUtils.findMethod(UInt.class, "unbox-impl")))
                .accepts(hints);
    }

    @Test
    void members_that_no_key_names_are_left_alone() {
        assertThat(invocation(Customer.class, "getName")).rejects(hints);
    }

    @Test
    void elements_of_collections_are_followed_to_the_public_type() {
        assertThat(invocation(Order.class, "items")).accepts(hints);
        assertThat(invocation(Item.class, "code")).accepts(hints);
        assertThat(invocation(Article.class, "code")).accepts(hints);
    }

    @Test
    void type_of_a_key_is_kept_so_that_its_text_is_known() {
        assertThat(RuntimeHintsPredicates.reflection().onType(UUID.class)).accepts(hints);
    }

    @Test
    void beans_that_a_key_or_a_time_names_can_be_called() {
        assertThat(invocation(Naming.class, "keyOf")).accepts(hints);
        assertThat(invocation(Naming.class, "getLease")).accepts(hints);
    }

    @Test
    void types_that_a_key_names_can_be_called() {
        assertThat(invocation(java.util.Objects.class, "hash")).accepts(hints);
    }

    @Test
    void fields_and_generic_types_are_followed() {
        assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(Node.class, "next"))
                .accepts(hints);
        assertThat(invocation(String.class, "length")).accepts(hints);
    }

    @Test
    void root_of_expressions_can_be_read() {
        Class<?> root = ClassUtils.resolveClassName("io.holdfast.lock.spring.key.LockExpression$Root", null);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(root)
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(hints);
    }

    @Test
    void page_of_the_endpoint_is_a_resource_of_the_image() {
        for (String name : List.of("locks.html", "locks.css", "main.js", "jobs.js")) {
            assertThat(RuntimeHintsPredicates.resource()
                            .forResource("io/holdfast/lock/spring/autoconfigure/actuate/page/" + name))
                    .accepts(hints);
        }
    }

    @Test
    void errors_of_the_endpoint_can_be_written() {
        RuntimeHints exposed = AheadOfTime.hintsOf(Application.class, "management.endpoints.web.exposure.include=*");
        for (String result : List.of("Locks", "Released", "JobList", "Job", "Run", "Problem")) {
            Class<?> type = ClassUtils.resolveClassName(
                    "io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors$" + result, null);
            assertThat(RuntimeHintsPredicates.reflection()
                            .onType(type)
                            .withMemberCategory(MemberCategory.INVOKE_DECLARED_CONSTRUCTORS))
                    .as(result)
                    .accepts(exposed);
        }
    }

    @Test
    void scripts_are_kept() {
        assertThat(RuntimeHintsPredicates.resource().forResource("io/holdfast/lock/redis/acquire.lua"))
                .accepts(hints);
    }
}
