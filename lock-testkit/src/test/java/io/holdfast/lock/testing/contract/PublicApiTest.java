package io.holdfast.lock.testing.contract;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.holdfast.lock.testing.PublicApi;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the author of a store uses, and what that needs. */
class PublicApiTest {

    private static final String CONTRACT = "io.holdfast.lock.testing.contract";

    @Test
    void public_api_is_as_committed() {
        PublicApi.assertIs(Path.of("src/test/resources/public-api.txt"), Set.of(CONTRACT));
    }

    /** Those are for the rest of the testkit. */
    @Test
    void contract_needs_no_library_that_is_optional() {
        classes()
                .that()
                .resideInAPackage(CONTRACT)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        CONTRACT,
                        "io.holdfast.lock.api",
                        "io.holdfast.lock.store..",
                        "io.holdfast.lock.testing",
                        "java..",
                        "org.assertj..",
                        "org.awaitility..",
                        "org.jspecify..",
                        "org.junit.jupiter..")
                .check(new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackages(CONTRACT));
    }
}
