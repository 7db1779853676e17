package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.spring.LockConfigurationException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;

/**
 * Fails startup on Spring Boot 3 and earlier, where the auto-configurations would fail with a {@link NoClassDefFoundError}. It
 * filters nothing: Spring Boot calls it before it loads the first of them. So it may use only what Spring Boot 3 also has.
 */
final class SpringBootVersionCheck implements AutoConfigurationImportFilter {

    @Override
    public boolean[] match(@Nullable String[] configurations, AutoConfigurationMetadata metadata) {
        check(SpringBootVersion.getVersion());
        boolean[] all = new boolean[configurations.length];
        Arrays.fill(all, true);
        return all;
    }

    /** An unknown version, such as that of a repackaged Spring Boot, is accepted. */
    static void check(@Nullable String version) {
        if (version != null && version.matches("[1-3]\\..*")) {
            throw new LockConfigurationException(
                    "Holdfast needs Spring Boot 4.0 or later, but this application has Spring Boot " + version + ".",
                    "Upgrade Spring Boot to 4.0 or later, or remove the lock-spring-boot-starter.");
        }
    }
}
