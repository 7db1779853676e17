package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedReadLock;
import io.holdfast.lock.spring.annotation.DistributedSemaphore;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.definition.LockOperationSource;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.core.annotation.AliasFor;

class DefinitionFailureTest {

    static class ReturnsCallable {
        @DistributedLock(name = "later")
        public java.util.concurrent.Callable<String> run() {
            return () -> "";
        }
    }

    static class NothingToLock {
        @DistributedLock
        public void run() {}
    }

    static class NoExpression {
        @DistributedLock(key = "'open")
        public void run() {}
    }

    static class ShortLease {
        @DistributedLock(key = "'x'", lease = 99, timeUnit = TimeUnit.MILLISECONDS)
        public void run() {}
    }

    static class NegativeLease {
        @DistributedLock(key = "'x'", lease = -2)
        public void run() {}
    }

    static class HugeLease {
        @DistributedLock(key = "'x'", lease = Long.MAX_VALUE, timeUnit = TimeUnit.DAYS)
        public void run() {}
    }

    static class NegativeWait {
        @DistributedLock(key = "'x'", waitForString = "-1s")
        public void run() {}
    }

    static class BothForms {
        @DistributedLock(key = "'x'", lease = 1, leaseString = "1s")
        public void run() {}
    }

    static class NoDuration {
        @DistributedLock(key = "'x'", leaseString = "soon")
        public void run() {}
    }

    static class NoPlaceholder {
        @DistributedLock(key = "'x'", leaseString = "${not.there}")
        public void run() {}
    }

    static class ShortPlaceholder {
        @DistributedLock(key = "'x'", leaseString = "${app.lease}")
        public void run() {}
    }

    static class PrimitiveSkip {
        @DistributedLock(key = "'x'", onContention = OnContention.SKIP)
        public int run() {
            return 1;
        }
    }

    static class ReturnsFuture {
        @DistributedLock(key = "'x'")
        public FutureTask<String> run() {
            return null;
        }
    }

    static class ReturnsConnectable {
        @DistributedLock(key = "'x'")
        public reactor.core.publisher.ConnectableFlux<String> run() {
            return null;
        }
    }

    static class SkipsSingle {
        @DistributedLock(key = "'x'", onContention = OnContention.SKIP)
        public io.reactivex.rxjava3.core.Single<String> run() {
            return null;
        }
    }

    static class Suspending {
        @DistributedLock(key = "'x'")
        public Object run(String id, kotlin.coroutines.Continuation<String> continuation) {
            return null;
        }
    }

    static class FlowsWithoutReactor {
        @DistributedLock(key = "'x'")
        public kotlinx.coroutines.flow.Flow<String> run() {
            return null;
        }
    }

    static class Launches {
        @DistributedLock(key = "'x'")
        public kotlinx.coroutines.Job run() {
            return null;
        }
    }

    static class UnknownParameter {
        @DistributedLock(key = "'order:' + #ordr")
        public void run(String order) {}
    }

    static class UnknownFunction {
        @DistributedLock(key = "#keyOf(#order)")
        public void run(String order) {}
    }

    static class UnknownInCondition {
        @DistributedLock(key = "#order", condition = "#ordr != null")
        public void run(String order) {}
    }

    static class Unquoted {
        @DistributedLock(key = "nightly")
        public void run() {}
    }

    static class WithoutHash {
        @DistributedLock(key = "order.length() + 'x'")
        public void run(String order) {}
    }

    static class NameWithColon {
        @DistributedLock(name = "shop:order", key = "#p0")
        public void run(String order) {}
    }

    static class BlankKey {
        @DistributedLock(keys = {"#p0", " "})
        public void run(String order) {}
    }

    static class KeyAndKeys {
        @DistributedLock(key = "#p0", keys = "#p0")
        public void run(String order) {}
    }

    static class OtherFunction {
        @DistributedLock(key = "part(#p0, 'a')")
        public void run(String order) {}
    }

    static class NoParts {
        @DistributedLock(key = "parts()")
        public void run(String order) {}
    }

    static class CommaInKey {
        @DistributedLock(key = "#p0, #p1")
        public void run(String from, String to) {}
    }

    static class CommaInKeys {
        @DistributedLock(keys = "#p0, #p1")
        public void run(String from, String to) {}
    }

    static class BlankOnlyKey {
        @DistributedLock(name = "order", key = " ")
        public void run(String order) {}
    }

    static class BlankOnlyKeys {
        @DistributedLock(name = "order", keys = " ")
        public void run(String order) {}
    }

    static class UnquotedBeforeParameter {
        @DistributedLock(key = "order-#order.id")
        public void run(String order) {}
    }

    static class UnquotedAmongParameters {
        @DistributedLock(key = "#shop-order-#p1-x")
        public void run(String shop, String id) {}
    }

    static class EmptyName {
        @DistributedLock(name = "${app.empty}", key = "#p0")
        public void run(String order) {}
    }

    static class UnquotedPart {
        @DistributedLock(key = "parts(order, #p0)")
        public void run(String order) {}
    }

    static class PartsAsVariable {
        @DistributedLock(key = "#parts(#p0, 'a')")
        public void run(String order) {}
    }

    static class EmptyProperty {
        @DistributedLock(key = "${app.no-key:}")
        public void run(String order) {}
    }

    static class MissingProperty {
        @DistributedLock(name = "${not.there}")
        public void run() {}
    }

    static class ExclusiveLimit {
        @DistributedLock(key = "'x'", limit = 3)
        public void run() {}
    }

    static class LimitOfNone {
        @DistributedLock(key = "'x'", mode = LockMode.SHARED, limit = 0)
        public void run() {}
    }

    static class NegativeMinHold {
        @DistributedLock(key = "'x'", minHoldString = "-1s")
        public void run() {}
    }

    private static void fails(Class<?> bean, String... texts) {
        Runners.inMemory()
                .withPropertyValues("app.lease=50ms", "app.empty=")
                .withBean(bean)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(bean.getSimpleName() + ".run(")
                        .contains(texts));
    }

    @Test
    void neither_name_nor_key() {
        fails(NothingToLock.class, "neither a name nor a key", "key = \"#order.id\"", "or name = \"nightly\"");
    }

    @Test
    void key_that_cannot_be_parsed() {
        fails(NoExpression.class, "key = \"'open\"", "single quotes");
    }

    @Test
    void lease_below_100_ms() {
        fails(ShortLease.class, "lease = 99 MILLISECONDS", "lease must be between 100 ms");
    }

    @Test
    void negative_lease() {
        fails(NegativeLease.class, "lease = -2 SECONDS");
    }

    @Test
    void lease_too_large_to_count() {
        fails(HugeLease.class, "lease = 9223372036854775807 DAYS", "365 days");
    }

    @Test
    void negative_wait() {
        fails(NegativeWait.class, "waitForString = \"-1s\"", "waitForString must be between 0 ms");
    }

    @Test
    void number_and_text_together() {
        fails(BothForms.class, "both lease = 1 and leaseString = \"1s\"");
    }

    @Test
    void text_that_is_no_duration() {
        fails(NoDuration.class, "leaseString = \"soon\"");
    }

    @Test
    void placeholder_without_a_value() {
        fails(NoPlaceholder.class, "leaseString = \"${not.there}\"");
    }

    @Test
    void placeholder_with_a_lease_that_is_too_short() {
        fails(ShortPlaceholder.class, "leaseString = \"${app.lease}\" (50ms)");
    }

    @Test
    void skip_with_a_primitive_result() {
        fails(PrimitiveSkip.class, "onContention = SKIP", "returns int, so a skipped call has no value");
    }

    @Test
    void future_that_cannot_be_followed() {
        fails(ReturnsFuture.class, "FutureTask", "not supported");
    }

    @Test
    void reactive_result_that_cannot_be_made() {
        fails(ReturnsConnectable.class, "ConnectableFlux", "not supported", "Mono or Flux");
    }

    @Test
    void skip_of_a_result_that_cannot_be_empty() {
        fails(SkipsSingle.class, "rxjava3.core.Single", "no value to return", "can be empty");
    }

    @Test
    void work_of_coroutines_that_nothing_adapts() {
        fails(FlowsWithoutReactor.class, "kotlinx.coroutines.flow.Flow", "kotlinx-coroutines-reactor");
        fails(Launches.class, "kotlinx.coroutines.Job", "return a Deferred");
    }

    @Test
    void suspend_function_without_coroutines_for_reactor() {
        fails(
                Suspending.class,
                "suspend function, but not all libraries",
                "lock-kotlin",
                "kotlinx-coroutines-reactor",
                "kotlin-reflect");
    }

    @Test
    void unknown_parameter_in_the_key() {
        fails(
                UnknownParameter.class,
                "key = \"'order:' + #ordr\"",
                "no parameter #ordr",
                "Available: #order, #p0, #root, parts(…).");
    }

    @Test
    void unknown_function_in_the_key() {
        fails(UnknownFunction.class, "no parameter #keyOf");
    }

    @Test
    void unknown_parameter_in_the_condition() {
        fails(UnknownInCondition.class, "condition = \"#ordr != null\"", "no parameter #ordr");
    }

    @Test
    void unquoted_text() {
        fails(Unquoted.class, "'nightly' is neither a parameter nor literal text", "\"'nightly'\"");
    }

    @Test
    void parameter_without_its_hash() {
        fails(WithoutHash.class, "'order' is neither a parameter nor literal text", "Parameters start with #");
    }

    @Test
    void name_with_a_colon() {
        fails(NameWithColon.class, "name = \"shop:order\", which contains a colon", "\"shop.order\"");
    }

    @Test
    void blank_expression_among_keys() {
        fails(BlankKey.class, "has keys, one of which is blank", "keys = {\"#from\", \"#to\"}");
    }

    @Test
    void key_and_keys_together() {
        fails(
                KeyAndKeys.class,
                "has both key and keys",
                "For one lock, use key",
                "key = \"parts(#shop, #id)\"",
                "For several locks, all or none, use keys");
    }

    @Test
    void function_that_does_not_exist() {
        fails(OtherFunction.class, "there is no function part(#p0,'a')", "Write parts(#shop, #id)");
        fails(NoParts.class, "but parts needs at least one value.", "Write parts(#shop, #id)");
        fails(PartsAsVariable.class, "no parameter #parts", ", parts(…).");
    }

    @Test
    void several_values_in_one_expression() {
        fails(CommaInKey.class, "not a valid expression", "Several values are joined by parts(#shop, #id).");
        fails(CommaInKeys.class, "not a valid expression", "For several keys, write keys = {\"#from\", \"#to\"}.");
    }

    @Test
    void blank_key() {
        fails(BlankOnlyKey.class, "has a key that is blank.", "To lock the name, omit both.");
        fails(BlankOnlyKeys.class, "has keys, one of which is blank.", "To lock the name, omit both.");
    }

    @Test
    void unquoted_text_next_to_a_parameter() {
        fails(UnquotedBeforeParameter.class, "Literal text needs single quotes: \"'order-' + #order.id\".");
        fails(UnquotedAmongParameters.class, "Literal text needs single quotes: \"#shop + '-order-' + #p1 + '-x'\".");
    }

    @Test
    void name_that_a_property_makes_empty() {
        fails(EmptyName.class, "has name = \"${app.empty}\", which is empty.", "Set the property");
    }

    @Test
    void unquoted_text_among_parts() {
        fails(UnquotedPart.class, "'order' is neither a parameter nor literal text");
    }

    @Test
    void key_that_a_property_makes_empty() {
        fails(EmptyProperty.class, "neither a name nor a key");
    }

    @Test
    void name_of_a_property_that_is_not_set() {
        fails(MissingProperty.class, "name = \"${not.there}\"", "Set the property");
    }

    @Test
    void limit_of_an_exclusive_lock() {
        fails(ExclusiveLimit.class, "limit = 3, but mode = EXCLUSIVE", "mode = LockMode.SHARED");
    }

    @Test
    void limit_below_one() {
        fails(LimitOfNone.class, "limit = 0", "1 or more");
    }

    @Test
    void negative_minimum_hold() {
        fails(NegativeMinHold.class, "minHoldString = \"-1s\"", "minHoldString must be between 0 ms");
    }

    @Test
    void work_that_the_web_layer_does_later() {
        fails(ReturnsCallable.class, "java.util.concurrent.Callable", "not supported");
    }

    static class NoPermits {
        @DistributedSemaphore(name = "mail")
        public void send() {}
    }

    static class NoPermitsOfMethod {
        @DistributedSemaphore(key = "'mail'")
        public void send() {}
    }

    @DistributedSemaphore
    @Retention(RetentionPolicy.RUNTIME)
    @interface Throttled {
        @AliasFor(annotation = DistributedSemaphore.class, attribute = "name")
        String value();

        @AliasFor(annotation = DistributedSemaphore.class, attribute = "permits")
        int calls() default -1;
    }

    static class NoPermitsComposed {
        @Throttled("mail")
        public void send() {}
    }

    static class NoPermitsOfFurther {
        @DistributedLock(name = "order")
        @DistributedSemaphore(name = "mail")
        public void send() {}
    }

    private static String withoutPermits(Class<?> bean) {
        return "@DistributedLock method " + bean.getName()
                + ".send() has a @DistributedSemaphore without permits, which would not limit anything.\n"
                + "Set permits in the annotation";
    }

    private static String failure(Class<?> bean, String... properties) {
        List<String> failures = new ArrayList<>();
        Runners.inMemory()
                .withBean(bean)
                .withPropertyValues(properties)
                .run(context -> failures.add(Startup.failureOf(context)));
        return failures.get(0);
    }

    @Test
    void semaphore_without_permits_fails_the_start() {
        String property = " or set holdfast.locks.mail.limit.";
        assertThat(failure(NoPermits.class)).isEqualTo(withoutPermits(NoPermits.class) + property);
        assertThat(failure(NoPermitsComposed.class)).isEqualTo(withoutPermits(NoPermitsComposed.class) + property);
        assertThat(failure(NoPermitsOfMethod.class))
                .isEqualTo(withoutPermits(NoPermitsOfMethod.class)
                        + " or set holdfast.locks[NoPermitsOfMethod.send].limit.");
        assertThat(failure(NoPermitsOfFurther.class, "holdfast.locks.order.min-hold=1s"))
                .isEqualTo(withoutPermits(NoPermitsOfFurther.class) + ".");
    }

    static class ReadLock {
        @DistributedReadLock(name = "mail")
        public void send() {}
    }

    @Test
    void semaphore_with_permits_of_the_properties_and_a_read_lock_do_not() {
        Runners.inMemory()
                .withBean(NoPermits.class)
                .withPropertyValues("holdfast.locks.mail.limit=3")
                .run(context -> {
                    context.getBean(NoPermits.class).send();
                    assertThat(context.getBean(LockOperationSource.class)
                                    .allOf(NoPermits.class)
                                    .get(0)
                                    .locks()
                                    .get(0)
                                    .shape()
                                    .get()
                                    .limit())
                            .isEqualTo(3);
                });
        Runners.inMemory()
                .withBean(ReadLock.class)
                .run(context -> assertThat(context).hasNotFailed());
    }
}
