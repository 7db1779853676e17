package io.holdfast.lock.redis.driver;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;

/**
 * Where an application's Redis is, and how to log in, in terms of no driver.
 *
 * @param servers one server, sentinels or a cluster, with users and passwords
 * @param tls null for none
 * @param clientName null for none
 * @param resp3 whether the protocol is RESP3; null if the application leaves that to its driver
 */
public record RedisAccess(
        RedisConfiguration servers,
        @Nullable Tls tls,
        @Nullable String clientName,
        @Nullable Boolean resp3) {

    /** How connections are encrypted. */
    public record Tls(SSLSocketFactory sockets, SSLParameters parameters) {}

    /** Without secrets. */
    @Override
    public String toString() {
        return Topology.describe(servers);
    }
}
