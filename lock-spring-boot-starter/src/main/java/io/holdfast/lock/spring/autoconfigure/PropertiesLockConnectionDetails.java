package io.holdfast.lock.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/** What {@code holdfast.redis.url} says. */
final class PropertiesLockConnectionDetails implements LockConnectionDetails {

    private final String url;
    private final @Nullable SslBundle bundle;

    PropertiesLockConnectionDetails(String url, @Nullable SslBundle bundle) {
        this.url = url;
        this.bundle = bundle;
    }

    @Override
    public String getUrl() {
        return url;
    }

    @Override
    public @Nullable SslBundle getSslBundle() {
        return bundle;
    }
}
