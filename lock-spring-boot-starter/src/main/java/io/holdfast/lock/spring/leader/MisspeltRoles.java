package io.holdfast.lock.spring.leader;

import io.holdfast.lock.spring.definition.EditDistance;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of settings of a role whose name is misspelt: they change nothing for the role that is meant, so an instance that should not
 * be a candidate is one.
 *
 * <p>Whether an application uses a role cannot be known: it may only listen to events. So a role counts as misspelt only if nothing
 * that can be seen uses it, and it is similar to one of {@code @LeaderOnly} that has no settings.
 */
final class MisspeltRoles {

    private static final Logger log = LoggerFactory.getLogger(MisspeltRoles.class);

    private static final int MOST_EDITS = 2;
    private static final int LETTERS_PER_EDIT = 3;

    /** Environment variables cannot contain them, and property names only in brackets. */
    private static final Pattern PUNCTUATION = Pattern.compile("[^\\p{L}\\p{N}]");

    private static final Pattern NO_DIGITS = Pattern.compile("\\P{N}+");

    private MisspeltRoles() {}

    /**
     * Warns of each pair.
     *
     * @param configured the roles of the properties
     * @param declared the roles of {@code @LeaderOnly}
     * @param asked the roles that somebody has asked for
     */
    static void warn(Set<String> configured, Set<String> declared, Set<String> asked) {
        Set<String> unused = new TreeSet<>(configured);
        unused.removeAll(declared);
        unused.removeAll(asked);
        Set<String> unset = new TreeSet<>(declared);
        unset.removeAll(configured);
        for (String misspelt : unused) {
            unset.stream().filter(role -> areSimilar(misspelt, role)).forEach(role -> warn(misspelt, role));
        }
    }

    private static void warn(String misspelt, String role) {
        log.warn(
                "holdfast.leadership.roles has settings for role '{}', which no @LeaderOnly and no injected Leadership uses,"
                        + " but none for role '{}', which a @LeaderOnly uses. If the first name is a misspelling of the"
                        + " second, these settings have no effect. Names with characters other than letters, digits and"
                        + " hyphens need brackets: holdfast.leadership.roles[my_role]",
                misspelt,
                role);
    }

    /** Roles that differ in a number are different roles. */
    private static boolean areSimilar(String one, String other) {
        String first = bare(one);
        String second = bare(other);
        int longest = Math.max(first.length(), second.length());
        return digits(first).equals(digits(second))
                && EditDistance.between(first, second) <= Math.min(MOST_EDITS, longest / LETTERS_PER_EDIT);
    }

    private static String bare(String role) {
        return PUNCTUATION.matcher(role.toLowerCase(Locale.ROOT)).replaceAll("");
    }

    private static String digits(String role) {
        return NO_DIGITS.matcher(role).replaceAll(" ").strip();
    }
}
