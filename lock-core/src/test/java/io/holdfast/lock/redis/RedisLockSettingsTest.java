package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.redis.RedisLockSettings.Connection;
import io.holdfast.lock.redis.RedisLockSettings.ReplicaAcks;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RedisLockSettingsTest {

    /** In a class loader of its own, since in this JVM others may have used them before. */
    @Test
    void standard_settings_are_the_same_whichever_class_is_used_first() throws Exception {
        URL classes =
                RedisLockSettings.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader fresh = new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
            constant(fresh, RedisLockSettings.ReplicaAcks.class, "NONE");
            assertThat(constant(fresh, RedisLockSettings.class, "STANDARD"))
                    .hasToString(RedisLockSettings.STANDARD.toString());
        }
    }

    /** Each component has a value of its own, so that two of one type cannot take each other's place. */
    @Test
    void each_method_changes_one_setting() {
        RedisLockSettings changed = RedisLockSettings.STANDARD
                .withKeyPrefix("prefix")
                .withCommandTimeout(Duration.ofSeconds(2))
                .withTokenRetention(Duration.ofSeconds(3))
                .withMaxConnections(4)
                .withReplicaAcks(new ReplicaAcks(5, Duration.ofSeconds(5)))
                .withRejoinDelay(Duration.ofSeconds(6))
                .withConnection(Connection.DEDICATED);

        assertThat(changed)
                .isEqualTo(new RedisLockSettings(
                        "prefix",
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(3),
                        4,
                        new ReplicaAcks(5, Duration.ofSeconds(5)),
                        Duration.ofSeconds(6),
                        Connection.DEDICATED));
    }

    private static Object constant(ClassLoader loader, Class<?> type, String name) throws Exception {
        return loader.loadClass(type.getName()).getField(name).get(null);
    }
}
