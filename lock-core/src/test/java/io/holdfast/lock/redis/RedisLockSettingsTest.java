package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
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

    private static Object constant(ClassLoader loader, Class<?> type, String name) throws Exception {
        return loader.loadClass(type.getName()).getField(name).get(null);
    }
}
