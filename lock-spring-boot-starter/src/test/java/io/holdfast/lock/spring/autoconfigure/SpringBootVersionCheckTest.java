package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.holdfast.lock.spring.LockConfigurationException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.core.io.support.SpringFactoriesLoader;

class SpringBootVersionCheckTest {

    @ParameterizedTest
    @ValueSource(strings = {"2.7.18", "3.5.7", "3.0.0-SNAPSHOT"})
    void earlier_version_is_refused_with_the_one_that_is_needed(String version) {
        LockConfigurationException failure =
                catchThrowableOfType(LockConfigurationException.class, () -> SpringBootVersionCheck.check(version));

        assertThat(failure.problem())
                .isEqualTo("Holdfast needs Spring Boot 4.0 or later, but this application has Spring Boot " + version
                        + ".");
        assertThat(failure.action())
                .isEqualTo("Upgrade Spring Boot to 4.0 or later, or remove the lock-spring-boot-starter.");
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"4.0.0", "4.1.1", "4.1.0-SNAPSHOT", "5.0.0-M1", "10.0.0", "custom"})
    void later_and_unknown_versions_are_not(String version) {
        assertThatCode(() -> SpringBootVersionCheck.check(version)).doesNotThrowAnyException();
    }

    @Test
    void filter_is_registered_and_filters_nothing() {
        List<AutoConfigurationImportFilter> filters =
                SpringFactoriesLoader.forDefaultResourceLocation().load(AutoConfigurationImportFilter.class);

        assertThat(filters)
                .filteredOn(SpringBootVersionCheck.class::isInstance)
                .singleElement()
                .satisfies(filter -> {
                    assertThat(filter.match(new String[] {"a", null}, null)).containsExactly(true, true);
                });
    }
}
