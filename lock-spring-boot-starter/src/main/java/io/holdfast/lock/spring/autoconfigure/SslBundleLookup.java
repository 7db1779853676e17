package io.holdfast.lock.spring.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.util.StringUtils;

/** Finds the application's SSL bundles by the names that properties have. */
final class SslBundleLookup {

    private final @Nullable SslBundles bundles;

    SslBundleLookup(@Nullable SslBundles bundles) {
        this.bundles = bundles;
    }

    /**
     * Finds a bundle. A blank name is none, since {@code ${BUNDLE:}} is a usual way to write "perhaps one".
     *
     * @throws InvalidLockPropertyException if there is none of that name
     */
    @Nullable
    SslBundle find(String property, @Nullable String name) {
        if (!StringUtils.hasText(name)) {
            return null;
        }
        List<String> known = bundles == null ? List.of() : bundles.getBundleNames();
        if (bundles == null || !known.contains(name)) {
            throw new InvalidLockPropertyException(
                    property,
                    name,
                    "the name of a bundle under spring.ssl.bundle, "
                            + (known.isEmpty() ? "but none is configured there" : "one of " + known));
        }
        return bundles.getBundle(name);
    }
}
