package io.holdfast.lock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Mutants of the scripts that nobody can tell from the scripts, from {@code lua-equivalent-mutants.txt}: a line that begins
 * with a hash says why, and those after it are mutants as the report names them, without the number of the line.
 */
final class LuaEquivalents {

    private static final String FILE = "lua-equivalent-mutants.txt";

    private final Set<String> names;

    private LuaEquivalents(Set<String> names) {
        this.names = names;
    }

    static LuaEquivalents read() {
        try (InputStream text = LuaEquivalents.class.getResourceAsStream(FILE)) {
            return new LuaEquivalents(new String(text.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .collect(Collectors.toSet()));
        } catch (IOException e) {
            throw new IllegalStateException(FILE + " cannot be read", e);
        }
    }

    boolean has(LuaMutant mutant) {
        return names.contains(name(mutant));
    }

    /** Those that no script has any more. */
    List<String> strangers(List<LuaMutant> mutants) {
        Set<String> known = mutants.stream().map(LuaEquivalents::name).collect(Collectors.toSet());
        return names.stream().filter(name -> !known.contains(name)).toList();
    }

    private static String name(LuaMutant mutant) {
        return mutant.toString().replaceFirst(":\\d+ ", " ");
    }
}
