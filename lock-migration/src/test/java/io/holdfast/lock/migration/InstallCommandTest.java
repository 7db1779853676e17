package io.holdfast.lock.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The command that the pages give, to install what is not published yet, installs all that the pages tell users to depend on. */
class InstallCommandTest {

    private static final Path ROOT = Path.of("..");
    private static final String ARTIFACT = "<artifactId>(lock-[a-z-]+)</artifactId>";

    @Test
    void command_of_the_page_installs_all_published_modules() throws IOException {
        Set<String> published = new TreeSet<>(find(ARTIFACT, read("lock-bom/pom.xml")));
        List<String> commands;
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            commands = Stream.concat(Stream.of(ROOT.resolve("README.md")), docs)
                    .filter(each -> each.toString().endsWith(".md"))
                    .flatMap(each -> find("mvnw install [^\n`]*-pl (\\S+) -am", read(each)).stream())
                    .toList();
        }

        assertThat(commands).isNotEmpty().allSatisfy(command -> {
            Set<String> installed = new TreeSet<>();
            Stream.of(command.split(",", -1)).forEach(each -> addWithDependencies(each, installed));
            assertThat(installed).containsAll(published);
        });
    }

    private static void addWithDependencies(String module, Set<String> installed) {
        if (installed.add(module) && Files.exists(ROOT.resolve(module))) {
            List<String> named =
                    module.equals("lock-bom") ? List.of("lock-parent") : find(ARTIFACT, read(module + "/pom.xml"));
            named.forEach(each -> addWithDependencies(each, installed));
        }
    }

    private static List<String> find(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(found -> found.group(1))
                .toList();
    }

    private static String read(String file) {
        return read(ROOT.resolve(file));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
