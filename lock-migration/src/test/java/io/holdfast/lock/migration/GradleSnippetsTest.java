package io.holdfast.lock.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.openrewrite.ExecutionContext;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.Parser;
import org.openrewrite.SourceFile;
import org.openrewrite.groovy.GroovyParser;
import org.openrewrite.kotlin.KotlinParser;
import org.openrewrite.tree.ParseError;

/** Excerpts of Gradle build files on the pages are Groovy, or Kotlin; Gradle itself runs nowhere here. */
class GradleSnippetsTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern GRADLE = Pattern.compile("\\b(testI|i)mplementation\\(|\\bplugins \\{");

    private record Snippet(Path page, boolean kotlin, String text) {

        boolean parses() {
            ExecutionContext silent = new InMemoryExecutionContext(failure -> {});
            Parser parser = kotlin
                    ? KotlinParser.builder().isKotlinScript(true).build()
                    : GroovyParser.builder().build();
            List<SourceFile> parsed = parser.parseInputs(
                            List.of(Parser.Input.fromString(
                                    Path.of(kotlin ? "build.gradle.kts" : "build.gradle"), text)),
                            null,
                            silent)
                    .toList();
            return parsed.size() == 1
                    && !(parsed.get(0) instanceof ParseError)
                    && parsed.get(0).printAll().equals(text);
        }
    }

    private static List<Snippet> snippets() throws IOException {
        List<Snippet> found = new ArrayList<>();
        try (Stream<Path> pages =
                Stream.concat(Stream.of(ROOT.resolve("README.md")), Files.walk(ROOT.resolve("docs")))) {
            for (Path page :
                    pages.filter(path -> path.toString().endsWith(".md")).toList()) {
                for (CodeBlock block : CodeBlock.allIn(page, "groovy|kotlin|kts")) {
                    String text = String.join("\n", block.lines()) + '\n';
                    if (GRADLE.matcher(text).find()) {
                        found.add(new Snippet(page, !"groovy".equals(block.language()), text));
                    }
                }
            }
        }
        return found;
    }

    @Test
    void every_excerpt_of_a_build_file_parses() throws IOException {
        assertThat(snippets())
                .extracting(snippet -> ROOT.relativize(snippet.page()).toString())
                .contains(
                        "README.md", "docs/getting-started.md", "docs/migration/README.md", "docs/reference/kotlin.md");
        assertThat(snippets())
                .allSatisfy(snippet -> assertThat(snippet.parses()).isTrue());
    }

    @Test
    void excerpt_with_a_missing_quote_does_not_parse() throws IOException {
        assertThat(snippets()).allSatisfy(snippet -> {
            String broken = snippet.text().replaceFirst("[\"']", "");
            assertThat(new Snippet(snippet.page(), snippet.kotlin(), broken).parses())
                    .isFalse();
        });
    }
}
