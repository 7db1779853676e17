package io.holdfast.lock.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the pages of docs/migration show is what is compiled, and run, here. Their README shows no code to compile. */
class DocumentedCodeTest {

    private static final Path PAGES = Path.of("../docs/migration");

    private static final Pattern ANCHOR = Pattern.compile("[a-z0-9-]+\\.md#[a-z0-9-]+");

    static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(PAGES)) {
            return files.filter(file -> file.toString().endsWith(".md") && !file.endsWith("README.md"))
                    .sorted()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void every_block_of_code_is_the_region_that_it_names(Path page) throws IOException {
        assertThat(CodeBlock.allIn(page)).isNotEmpty().allSatisfy(block -> {
            assertThat(block.source())
                    .as("source of the block at %s", block.place())
                    .isNotEmpty();
            assertThat(block.lines()).as("the block at %s", block.place()).isEqualTo(Regions.lines(block.source()));
        });
    }

    @Test
    void every_region_is_shown() throws IOException {
        Set<String> shown = new TreeSet<>();
        for (Path page : pages()) {
            CodeBlock.allIn(page).forEach(block -> shown.add(block.source()));
        }

        assertThat(Regions.all()).isNotEmpty().isSubsetOf(shown);
    }

    @Test
    void every_heading_that_the_recipes_name_exists() throws IOException {
        Set<String> headings = new TreeSet<>();
        for (Path page : pages()) {
            Files.readAllLines(page).stream()
                    .filter(line -> line.startsWith("#"))
                    .forEach(line -> headings.add(page.getFileName() + "#" + anchor(line)));
        }
        Set<String> named = new TreeSet<>();
        try (Stream<Path> sources = Files.walk(Path.of("src/main"))) {
            for (Path source : sources.filter(Files::isRegularFile).toList()) {
                ANCHOR.matcher(Files.readString(source)).results().forEach(found -> named.add(found.group()));
            }
        }

        assertThat(named).isNotEmpty().isSubsetOf(headings);
    }

    private static String anchor(String heading) {
        return heading.replaceFirst("#+ ", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^a-z0-9 -]", "")
                .replace(' ', '-');
    }

    @Test
    void block_that_differs_from_its_region_is_found(@TempDir Path directory) throws IOException {
        String page = Files.readString(PAGES.resolve("redisson.md"));
        Path changed =
                Files.writeString(directory.resolve("changed.md"), page.replace("shop.charge(id);", "shop.sell(id);"));

        assertThat(CodeBlock.allIn(changed))
                .anySatisfy(block -> assertThat(block.lines()).isNotEqualTo(Regions.lines(block.source())));
    }

    @Test
    void block_that_names_no_region_is_found(@TempDir Path directory) throws IOException {
        Path page = Files.writeString(directory.resolve("page.md"), "Text.\n\n```java\nint i;\n```\n");

        assertThat(CodeBlock.allIn(page))
                .singleElement()
                .satisfies(block -> assertThat(block.source()).isEmpty());
    }
}
