package io.holdfast.lock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import redis.clients.jedis.Jedis;

/** The Redis user that may do nothing but lock, as the reference has it. */
public final class DocumentedUser {

    public static final String NAME = "locks";
    public static final String PASSWORD = "password";

    /** The first version that can publish in a slot. */
    public static final int SHARDED_FROM = 7;

    private static final Path REFERENCE = Path.of("../docs/reference/permissions.md");
    private static final String DEFINITION = "ACL SETUSER " + NAME + " on >" + PASSWORD + " ";

    private DocumentedUser() {}

    /** What it may do. */
    public static List<String> rules() {
        return words(restOfLine(DEFINITION));
    }

    /** What it may also do on a server of a kind, in the words of the reference. */
    public static List<String> rules(String kind) {
        String line = restOfLine("* " + kind + ": `");
        return Stream.concat(rules().stream(), words(line.substring(0, line.indexOf('`'))).stream())
                .toList();
    }

    /** With what it need not be allowed, but may use. */
    public static List<String> withScan(List<String> rules) {
        String optional = restOfLine("* to [list all locks](endpoint.md#all-locks): `");
        return Stream.concat(rules.stream(), words(optional.substring(0, optional.indexOf('`'))).stream())
                .toList();
    }

    private static List<String> words(String text) {
        return Arrays.asList(text.split(" "));
    }

    private static String restOfLine(String beginning) {
        try (Stream<String> lines = Files.lines(REFERENCE)) {
            String line =
                    lines.filter(text -> text.startsWith(beginning)).findAny().orElseThrow();
            return line.substring(beginning.length());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates it; if it is there already, lets it do this as well, or not do it. */
    public static void permit(Jedis administrator, List<String> rules) {
        administrator.aclSetUser(
                NAME,
                Stream.concat(Stream.of("on", ">" + PASSWORD), rules.stream()).toArray(String[]::new));
    }
}
