package io.holdfast.lock.spring.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.io.Serializable;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.util.PropertyPlaceholderHelper;
import org.springframework.util.ReflectionUtils;

class LockOperationSourceTest {

    static class Forms {
        @DistributedLock(key = "'x'")
        void defaults() {}

        @DistributedLock(key = "'x'", lease = 1500, waitFor = 20, timeUnit = TimeUnit.MILLISECONDS, renew = false)
        void numbers() {}

        @DistributedLock(key = "'x'", leaseString = "10s", waitForString = "500ms")
        void texts() {}

        @DistributedLock(key = "'x'", leaseString = "PT10S", waitForString = "PT0S")
        void isoTexts() {}

        @DistributedLock(key = "'x'", leaseString = "${app.lease}", waitForString = "${app.empty}")
        void placeholders() {}

        @DistributedLock(key = "'x'", leaseString = "7")
        void bareNumber() {}

        @DistributedLock(key = "'x'", leaseString = "${app.bare}")
        void bareNumberOfPlaceholder() {}

        @DistributedLock(key = "'x'", leaseString = "#order.lease")
        void expression() {}

        @DistributedLock(key = "'x'", waitForString = "${app.policy}")
        void expressionOfPlaceholder() {}

        @DistributedLock(key = "'x'", waitFor = -1)
        void minusOne() {}
    }

    private static final ConfiguredOptions CONFIGURED =
            new ConfiguredOptions(Duration.ofSeconds(5), LockOptions.NONE, Map.of());

    private static final Map<String, String> PROPERTIES =
            Map.of("app.lease", "1m", "app.empty", "", "app.bare", "7", "app.policy", "@policy.wait()");

    /** The class library is compiled without the names of parameters. */
    @DistributedLock(key = "#id")
    static class Unnamed extends ArrayList<String> {
        private static final long serialVersionUID = 1L;
    }

    @DistributedLock(key = "#p0")
    static class Positional extends ArrayList<String> {
        private static final long serialVersionUID = 1L;
    }

    private static final Method CONTAINS = ReflectionUtils.findMethod(ArrayList.class, "contains", Object.class);

    private final LockOperationSource operations = source();

    private static LockOperationSource source() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.addEmbeddedValueResolver(
                text -> new PropertyPlaceholderHelper("${", "}").replacePlaceholders(text, PROPERTIES::get));
        return new LockOperationSource(beans, () -> CONFIGURED);
    }

    private static Method method(String name) {
        return ReflectionUtils.findMethod(Forms.class, name, (Class<?>[]) null);
    }

    private LockOperation operation(String method) {
        return operations.find(method(method), Forms.class);
    }

    private LockRequest request(String method) {
        LockOperation operation = operation(method);
        return operation.request(operation.scope().call(new Forms(), new Object[0]));
    }

    @Test
    void what_is_not_given_is_left_to_the_client_but_the_wait() {
        LockRequest request = request("defaults");
        assertThat(request.lease()).isEmpty();
        assertThat(request.renew()).isEmpty();
        assertThat(request.waitFor()).contains(Duration.ofSeconds(5));
    }

    @Test
    void numbers_count_in_the_time_unit() {
        LockRequest request = request("numbers");
        assertThat(request.lease()).contains(Duration.ofMillis(1500));
        assertThat(request.waitFor()).contains(Duration.ofMillis(20));
    }

    @Test
    void renew_false_is_handed_on() {
        assertThat(request("numbers").renew()).contains(false);
    }

    @Test
    void texts_are_durations() {
        LockRequest request = request("texts");
        assertThat(request.lease()).contains(Duration.ofSeconds(10));
        assertThat(request.waitFor()).contains(Duration.ofMillis(500));
    }

    @Test
    void texts_may_be_iso_durations() {
        LockRequest request = request("isoTexts");
        assertThat(request.lease()).contains(Duration.ofSeconds(10));
        assertThat(request.waitFor()).contains(Duration.ZERO);
    }

    @Test
    void placeholders_are_replaced_and_empty_ones_mean_the_default() {
        LockRequest request = request("placeholders");
        assertThat(request.lease()).contains(Duration.ofMinutes(1));
        assertThat(request.waitFor()).contains(Duration.ofSeconds(5));
    }

    /** It would be seconds here, and milliseconds in a property. */
    @ParameterizedTest
    @ValueSource(strings = {"bareNumber", "bareNumberOfPlaceholder"})
    void time_as_text_needs_a_unit(String method) {
        assertThatThrownBy(() -> request(method))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining(", without a unit, which is invalid");
    }

    @Test
    void time_is_no_expression() {
        assertThatThrownBy(() -> request("expression"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContainingAll(
                        "leaseString = \"#order.lease\", which is invalid",
                        "leaseString = \"10s\"",
                        "#{@settings.time}",
                        "LockRequestCustomizer");
        assertThatThrownBy(() -> request("expressionOfPlaceholder"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContainingAll("(@policy.wait()), which is invalid", "#{@settings.time}");
    }

    /** As users of Redisson write it. */
    @Test
    void minus_one_is_no_time() {
        assertThatThrownBy(() -> request("minusOne"))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContainingAll("waitFor = -1 SECONDS", "Omit the attribute", "DistributedLock.FOREVER");
    }

    @Test
    void operation_is_made_once() {
        assertThat(operation("texts")).isSameAs(operation("texts"));
    }

    @Test
    void unknown_parameter_names_are_told_apart_from_misspelled_ones() {
        assertThatThrownBy(() -> operations.find(CONTAINS, Unnamed.class))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContainingAll("no parameter #id", "compile with -parameters", "#p0");
    }

    @Test
    void positions_need_no_parameter_names() {
        LockOperation operation = operations.find(CONTAINS, Positional.class);
        var call = operation.scope().call(new Positional(), new Object[] {"7"});
        assertThat(operation.request(call).key()).isEqualTo(LockKey.of("7"));
    }

    interface Crud {
        void save(String id);
    }

    @DistributedLock(key = "#id")
    interface Carts extends Crud {}

    @Test
    void method_that_only_a_proxy_has_is_called_by_its_interface() {
        Object proxy = Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {Serializable.class, Carts.class},
                (self, method, args) -> null);
        Method save = ReflectionUtils.findMethod(Crud.class, "save", String.class);
        assertThat(operations.find(save, proxy.getClass()).name()).isEqualTo("Carts.save");
    }
}
