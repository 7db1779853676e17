package io.holdfast.lock.migration.redisson;

import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.properties.Assertions.properties;
import static org.openrewrite.yaml.Assertions.yaml;

import io.holdfast.lock.migration.Recipes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

class RedissonSettingsTest implements RewriteTest {

    private static final String NOTE =
            "# Holdfast: locks do not use these settings; see docs/migration/redisson.md#settings-of-the-client\n";

    @Override
    public void defaults(RecipeSpec spec) {
        Recipes.use(spec, "FromRedisson");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "singleServerConfig",
                "masterSlaveServersConfig",
                "replicatedServersConfig",
                "sentinelServersConfig",
                "clusterServersConfig"
            })
    void settings_of_the_client_are_marked(String servers) {
        String settings = "lockWatchdogTimeout: 20000\n%s" + servers + ":\n  timeout: 3000\n";
        rewriteRun(yaml(settings.formatted(""), settings.formatted(NOTE)));
        rewriteRun(yaml(settings.formatted(NOTE)));
        rewriteRun(yaml(NOTE + servers + ":\n  timeout: 3000\n"));
        rewriteRun(yaml(servers + ":\n  timeout: 3000\n", NOTE + servers + ":\n  timeout: 3000\n"));
    }

    @Test
    void other_yaml_is_left() {
        rewriteRun(yaml("other:\n  singleServerConfig: 1\n"), yaml("- singleServerConfig\n"));
    }

    @Test
    void properties_that_name_the_settings_are_marked() {
        String file = "spring.redis.redisson.file=classpath:redisson.yaml\n";
        String config = "spring:\n  redis:\n    redisson:\n%s      config: |\n        singleServerConfig: {}\n";
        rewriteRun(properties(file, NOTE + file), yaml(config.formatted(""), config.formatted("      " + NOTE)));
        rewriteRun(properties(NOTE + file), yaml(config.formatted("      " + NOTE)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"RLockReactive", "RLockRx", "RLockAsync", "RSemaphoreReactive", "RReadWriteLockRx"})
    void reactive_locks_are_left_and_marked(String type) {
        String former = "class Shop {\n%s    org.redisson.api." + type + " lock;\n}\n";
        String note =
                "    // Holdfast: this still uses Redisson, and does not exclude what Holdfast locks; see docs/migration/redisson.md#asynchronous\n";
        rewriteRun(java(former.formatted(""), former.formatted(note)));
    }
}
