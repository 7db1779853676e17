package io.holdfast.lock.migration.lock4j;

import static org.openrewrite.properties.Assertions.properties;
import static org.openrewrite.yaml.Assertions.yaml;

import io.holdfast.lock.migration.Recipes;
import org.junit.jupiter.api.Test;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

class Lock4jPropertiesTest implements RewriteTest {

    @Override
    public void defaults(RecipeSpec spec) {
        Recipes.use(spec, "FromLock4j");
    }

    @Test
    void times_of_properties_get_their_unit() {
        rewriteRun(properties(
                "lock4j.expire=20000\nlock4j.acquireTimeout=2000\nlock4j.lock-key-prefix=shop\nlock4j.retry-interval=50\nother=1\n",
                "holdfast.lease=20000ms\nholdfast.wait-for=2000ms\nholdfast.redis.key-prefix=shop\nother=1\n"));
    }

    @Test
    void times_of_yaml_get_their_unit() {
        rewriteRun(yaml("""
                lock4j:
                  expire: 20000
                  acquire-timeout: 2000
                  lock-key-prefix: shop
                  retry-interval: 50
                """, """
                holdfast.lease: 20000ms
                holdfast.wait-for: 2000ms
                holdfast.redis.key-prefix: shop
                """));
    }

    @Test
    void properties_without_a_counterpart_are_left_and_marked() {
        String note = "# Holdfast: this no longer has any effect; see docs/migration/lock4j.md#failstrategy\n";
        rewriteRun(
                properties("lock4j.primary-failure-strategy=a.B\n", note + "lock4j.primary-failure-strategy=a.B\n"),
                yaml(
                        "lock4j:\n  primary-failure-strategy: a.B\n",
                        "lock4j:\n  " + note + "  primary-failure-strategy: a.B\n"));
    }
}
