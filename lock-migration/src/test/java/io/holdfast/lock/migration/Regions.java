package io.holdfast.lock.migration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The parts of sources in this package and its resources that lie between {@code region name} and {@code endregion},
 * written {@code redisson/RedissonAfter.java#lock}. Without its common indentation.
 */
final class Regions {

    private static final List<Path> ROOTS = Stream.of("java", "resources")
            .map(kind -> Path.of("src/test", kind, "io/holdfast/lock/migration"))
            .toList();

    private Regions() {}

    static List<String> lines(String source) {
        int hash = source.indexOf('#');
        List<String> file = read(find(source.substring(0, hash)));
        int begin = indexOf(file, "region " + source.substring(hash + 1), 0);
        int end = indexOf(file, "endregion", begin);
        return String.join("\n", file.subList(begin + 1, end))
                .stripIndent()
                .lines()
                .toList();
    }

    static List<String> all() throws IOException {
        List<String> all = new ArrayList<>();
        for (Path root : ROOTS) {
            try (Stream<Path> files = Files.walk(root)) {
                files.filter(Files::isRegularFile)
                        .forEach(file -> read(file).stream()
                                .map(Regions::comment)
                                .filter(comment -> comment.startsWith("region "))
                                .forEach(comment ->
                                        all.add(root.relativize(file) + "#" + comment.substring("region ".length()))));
            }
        }
        return all;
    }

    private static Path find(String file) {
        return ROOTS.stream()
                .map(root -> root.resolve(file))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no " + file));
    }

    private static int indexOf(List<String> file, String comment, int from) {
        for (int i = from; i < file.size(); i++) {
            if (comment(file.get(i)).equals(comment)) {
                return i;
            }
        }
        throw new IllegalArgumentException("There is no " + comment);
    }

    /** What stands behind // or #; empty if the line is no comment. */
    private static String comment(String line) {
        String text = line.strip();
        return text.startsWith("// ") ? text.substring(3) : text.startsWith("# ") ? text.substring(2) : "";
    }

    private static List<String> read(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
