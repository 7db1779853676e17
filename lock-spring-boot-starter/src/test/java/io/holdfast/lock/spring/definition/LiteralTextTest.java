package io.holdfast.lock.spring.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedReadLock;
import io.holdfast.lock.spring.annotation.DistributedSemaphore;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Expressions are refused where they would be taken literally. */
class LiteralTextTest {

    static class OnMethod {
        @DistributedLock(name = "#hotel")
        public void sync(String hotel) {}
    }

    static class ByProperty {
        @DistributedLock(name = "${app.lock}", key = "#hotel")
        public void sync(String hotel) {}
    }

    static class Semaphore {
        @DistributedSemaphore(name = "#hotel", permits = 2)
        public void sync(String hotel) {}
    }

    static class Second {
        @DistributedLock(name = "hotels", key = "#hotel")
        @DistributedReadLock(name = "prices-#{#hotel}")
        public void sync(String hotel) {}
    }

    static class Leading {
        @LeaderOnly("#hotel")
        public void sync(String hotel) {}
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "#hotel",
                "#{#hotel}",
                "sync-#{#hotel}",
                "sync-#hotel",
                "my.sync:#{#hotel.id}",
                "a:b-#{#x}",
                "sync-#{#a}-#{#b}",
                "#{#hotel",
                "'sync-' + #hotel",
                "{#hotel}",
                "prices#hotel",
                "prices#hotel.id",
                "prices-@keys.of()",
                "'a' + T(a.B).of(#x)",
                "@keys.of(#hotel)",
                "@keys.nightly",
                "T(a.B).NAME",
            })
    void expression_as_a_name_is_refused(String name) {
        assertThatThrownBy(() -> LiteralText.requireName(name, "Hotels.sync()", List.of("hotel", "id")))
                .isInstanceOfSatisfying(LockConfigurationException.class, e -> {
                    assertThat(e.problem())
                            .isEqualTo(
                                    "Hotels.sync() has name = \"" + name
                                            + "\", but a name is literal text, not an expression: all calls would share one lock.");
                    assertThat(e.action())
                            .isEqualTo(
                                    "Write a literal name, and the expression as the key: name = \"order\", key = \"#order.id\".");
                });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nightly",
                "Orders#pay",
                "Hotels#hotels",
                "Hotels#hotel_1",
                "C#",
                "job #1",
                "#1",
                "@nightly",
                "a@b.example",
                "WAIT(1)",
                "it's",
                "pay all",
                "Zahlung prüfen"
            })
    void other_text_is_a_name(String name) {
        assertThat(LiteralText.requireName(name, "Hotels.sync()", List.of("hotel", "id")))
                .isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {" pay", "pay ", "pay\n", "\tpay", "pay\u00a0", "pay\u2028", "a\nb", "a\u0000b", "a\u0085b"})
    void name_that_is_another_lock_than_it_seems_is_refused(String name) {
        assertThatThrownBy(() -> LiteralText.requireName(name, "Orders.pay()", List.of()))
                .isInstanceOfSatisfying(LockConfigurationException.class, e -> {
                    assertThat(e.problem())
                            .isEqualTo("Orders.pay() has name = \"" + LockKey.printable(name)
                                    + "\", which contains a control character, or whitespace at its beginning or end.");
                    assertThat(e.action())
                            .isEqualTo(
                                    "Remove it. In a properties file, a value includes the whitespace at the end of its line.");
                });
    }

    private static void fails(Class<?> bean, String message, String... properties) {
        Runners.inMemory()
                .withPropertyValues(properties)
                .withBean(bean)
                .run(context -> assertThat(Startup.failureOf(context))
                        .isEqualTo(message.replace("METHOD", "method " + bean.getName() + ".sync(String)")));
    }

    @Test
    void names_of_all_annotations_are_literal() {
        fails(
                OnMethod.class,
                "@DistributedLock METHOD has name = \"#hotel\", but a name is literal text, not an expression: all calls"
                        + " would share one lock.\nWrite a literal name, and the expression as the key: name = \"order\","
                        + " key = \"#order.id\".");
        fails(
                Semaphore.class,
                "@DistributedLock METHOD has name = \"#hotel\", but a name is literal text, not an expression: all calls"
                        + " would share one lock.\nWrite a literal name, and the expression as the key: name = \"order\","
                        + " key = \"#order.id\".");
        fails(
                Second.class,
                "@DistributedLock METHOD has name = \"prices-#{#hotel}\", but a name is literal text, not an expression: all"
                        + " calls would share one lock.\nWrite a literal name, and the expression as the key: name ="
                        + " \"order\", key = \"#order.id\".");
    }

    @Test
    void name_that_a_property_yields_is_literal() {
        fails(
                ByProperty.class,
                "@DistributedLock METHOD has name = \"a-#hotel\", but a name is literal text, not an expression: all calls"
                        + " would share one lock.\nWrite a literal name, and the expression as the key: name = \"order\", key"
                        + " = \"#order.id\".",
                "app.lock=a-#hotel");
    }

    @Test
    void role_is_literal() {
        fails(
                Leading.class,
                "@LeaderOnly METHOD has the role \"#hotel\", but a role is literal text, not an expression.\nSpecify the"
                        + " role as text or by a property: @LeaderOnly(\"reports\") or @LeaderOnly(\"${app.role}\").");
    }

    @ParameterizedTest
    @CsvSource({
        "holdfast.locks[sync-#hotel].lease=5s, holdfast.locks, sync-#hotel",
        "holdfast.leadership.roles[#hotel].lease=5s, holdfast.leadership.roles, #hotel",
        "holdfast.leadership.roles.hotel.key=#{hotel}, holdfast.leadership.roles.hotel.key, #{hotel}"
    })
    void names_in_properties_are_literal(String property, String shown, String value) {
        Runners.inMemory()
                .withPropertyValues(property)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains("'" + value + "'", "'" + shown + "'", "must be literal text"));
    }
}
