package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class TemplateConnectionsTest {

    private static Properties info(String... lines) {
        Properties info = new Properties();
        for (int i = 0; i < lines.length; i += 2) {
            info.setProperty(lines[i], lines[i + 1]);
        }
        return info;
    }

    @Test
    void single_server_has_no_name() {
        assertThat(TemplateConnections.policies(info("used_memory", "1", "maxmemory_policy", "allkeys-lru")))
                .isEqualTo(Map.of("", "allkeys-lru"));
    }

    @Test
    void servers_of_a_cluster_are_named() {
        Properties info = info(
                "10.0.0.1:7000.maxmemory_policy", "noeviction",
                "10.0.0.2:7000.maxmemory_policy", "volatile-ttl",
                "10.0.0.2:7000.used_memory", "1");

        assertThat(TemplateConnections.policies(info))
                .isEqualTo(Map.of("10.0.0.1:7000", "noeviction", "10.0.0.2:7000", "volatile-ttl"));
    }

    @Test
    void server_that_does_not_tell_is_unknown() {
        assertThat(TemplateConnections.policies(info("used_memory", "1"))).isEqualTo(Map.of("", "unknown"));
    }
}
