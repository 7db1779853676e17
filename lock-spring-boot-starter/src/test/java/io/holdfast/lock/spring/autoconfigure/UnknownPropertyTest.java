package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Properties that nothing reads, since their names are misspelt. */
@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertyTest {

    private static void start(String... properties) {
        Runners.inMemory()
                .withPropertyValues(properties)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @CsvSource({
        "lock.leese, lock.lease",
        "lock.waitFro, lock.wait-for",
        "lock.redis.key-prefx, lock.redis.key-prefix",
        "lock.quorum.node, lock.quorum.nodes",
        "lock.redis.cluster.nods[0], lock.redis.cluster.nodes",
        "lock.instances.order.leas, lock.instances.order.lease",
        "lock.instances[Orders.pay].wait-fro, lock.instances[Orders.pay].wait-for",
        "lock.instances.Orders.pay.lease, lock.instances[Orders.pay].lease",
        "lock.instances.Orders.pay.leas, lock.instances[Orders.pay].lease"
    })
    void misspelt_property_is_told_with_the_one_that_is_meant(String property, String meant, CapturedOutput output) {
        start(property + "=5");

        assertThat(output).contains("nothing reads it. Is " + meant + " meant?");
    }

    @Test
    void unknown_property_among_ours_is_told(CapturedOutput output) {
        start("lock.redis.something-else=5");

        assertThat(output).contains("Property lock.redis.something-else is set, and nothing reads it.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock.instances.order.something-else", "lock.instances.a.b.c.something-else"})
    void unknown_property_of_an_instance_is_told(String property, CapturedOutput output) {
        start(property + "=5");

        assertThat(output).contains("Property " + property + " is set, and nothing reads it.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "lock.door-number=5",
                "lock.lease=5s",
                "lock.warnAfter=5s",
                "lock.redis.host=x",
                "lock.quorum.nodes[0]=x",
                "locks.leese=5",
                "lock.instances.order.lease=5s",
                "lock.instances[Orders.pay].lease=5s",
                "lock.instances[my.own.name].wait-for=5s",
                "lock.instances[a-b_C].waitFor=5s",
                "lock.instances.order.minHold=5s",
                "lock.instances.order.MAX_HOLD=5s",
                "lock.instances.lease.renew=false",
                "lock.instances.order.fair=true",
                "lock.instances.order.limit=5"
            })
    void property_of_the_application_or_of_ours_is_no_matter(String property, CapturedOutput output) {
        Runners.inMemory().withPropertyValues(property).run(context -> {});

        assertThat(output).doesNotContain("nothing reads it");
    }

    @Test
    void environment_variables_are_anybodys(CapturedOutput output) {
        Runners.inMemory()
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource("test", Map.of("LOCK_LEESE", "5"))))
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain("nothing reads it");
    }
}
