package io.holdfast.lock.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The examples are projects of their own, and repeat versions. They are built and run by .ci/release-check. */
class ExamplesTest {

    private static final Pom PARENT = Pom.in(Path.of(".."));

    static List<Path> examples() throws IOException {
        try (Stream<Path> folders = Files.list(Path.of("../examples"))) {
            return folders.filter(Files::isDirectory).sorted().toList();
        }
    }

    @Test
    void there_are_three() throws IOException {
        assertThat(examples())
                .extracting(example -> example.getFileName().toString())
                .containsExactly("order-service", "plain-java", "scheduled-job");
    }

    @ParameterizedTest
    @MethodSource("examples")
    void versions_are_those_of_the_library(Path example) {
        Pom pom = Pom.in(example);

        assertThat(pom.texts("/project/properties/holdfast.version")).isEqualTo(PARENT.texts("/project/version"));
        assertThat(pom.texts("/project/properties/embedded-redis.version")).isEqualTo(property("embedded-redis"));
        assertThat(pom.texts("/project/parent[artifactId='spring-boot-starter-parent']/version"))
                .isSubsetOf(property("spring-boot"));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void library_comes_by_its_bom_alone(Path example) {
        Pom pom = Pom.in(example);

        assertThat(pom.texts("/project/dependencyManagement//artifactId")).containsExactly("lock-bom");
        assertThat(pom.texts("/project/dependencies/dependency[groupId='io.holdfast']/artifactId"))
                .hasSize(1);
        assertThat(pom.texts("/project/dependencies/dependency[groupId='io.holdfast']/version"))
                .isEmpty();
    }

    private static List<String> property(String name) {
        return PARENT.texts("/project/properties/" + name + ".version");
    }
}
