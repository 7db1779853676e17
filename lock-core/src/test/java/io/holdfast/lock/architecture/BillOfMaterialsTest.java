package io.holdfast.lock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Applications import lock-bom, so that it has to manage every jar that is published, and nothing else. */
class BillOfMaterialsTest {

    private static final Path PROJECT = Path.of("..");

    @Test
    void bom_manages_exactly_the_published_modules() {
        List<String> published = Pom.in(PROJECT).texts("/project/modules/module").stream()
                .filter(module -> isPublishedJar(Pom.in(PROJECT.resolve(module))))
                .toList();

        assertThat(bom().texts("/project/dependencyManagement/dependencies/dependency/artifactId"))
                .containsExactlyInAnyOrderElementsOf(published)
                .contains("lock-core");
    }

    @Test
    void bom_has_one_version_for_all_and_imports_nothing() {
        String managed = "/project/dependencyManagement/dependencies/dependency";
        assertThat(bom().texts(managed + "/version")).containsOnly("${project.version}");
        assertThat(bom().texts(managed + "/scope")).isEmpty();
    }

    private static Pom bom() {
        return Pom.in(PROJECT.resolve("lock-bom"));
    }

    private static boolean isPublishedJar(Pom module) {
        return !module.texts("/project/packaging").contains("pom")
                && !module.texts("/project/properties/maven.deploy.skip").contains("true");
    }
}
