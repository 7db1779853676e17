package io.holdfast.lock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One small change of one line of a script.
 *
 * @param file without its ending
 * @param line from 1 on
 * @param change what was done
 * @param before the line as it is
 * @param after the line as it becomes; empty if it is dropped
 */
record LuaMutant(String file, int line, String change, String before, String after) {

    private record Mutator(Pattern pattern, String replacement) {}

    private static final List<Mutator> MUTATORS = List.of(
            mutator("<=", "<"),
            mutator("<(?!=)", "<="),
            mutator(">=", ">"),
            mutator(">(?!=)", ">="),
            mutator("==", "~="),
            mutator("~=", "=="),
            mutator("\\band\\b", "or"),
            mutator("\\bor\\b", "and"),
            mutator("(?<= )\\+(?= )", "-"),
            mutator("(?<= )-(?= )", "+"),
            mutator("(?<![\\w.])0(?![\\w.])", "1"),
            mutator("(?<![\\w.])1(?![\\w.])", "0"));

    /** Strings and comments are not looked at. */
    private static final Pattern TEXT = Pattern.compile("'[^']*'|--.*");

    /** A declaration or the head of a block is missed by whatever follows, so its loss would prove nothing. */
    private static final Pattern NOT_DROPPED =
            Pattern.compile("(local|function|if|elseif|else|end|for|while|repeat|until)\\b.*|[)}].*|");

    private static Mutator mutator(String regex, String replacement) {
        return new Mutator(Pattern.compile(regex), replacement);
    }

    /** All changes of one file; some of them are no Lua any more. */
    static List<LuaMutant> of(String file, String source) {
        List<LuaMutant> mutants = new ArrayList<>();
        List<String> lines = source.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            String code = TEXT.matcher(line)
                    .replaceAll(text -> "'".repeat(text.group().length()));
            for (Mutator mutator : MUTATORS) {
                Matcher matcher = mutator.pattern.matcher(code);
                while (matcher.find()) {
                    mutants.add(changed(file, i + 1, line, matcher.toMatchResult(), mutator.replacement));
                }
            }
            if (!line.isBlank()
                    && !line.startsWith("--")
                    && !NOT_DROPPED.matcher(line.strip()).matches()) {
                mutants.add(new LuaMutant(file, i + 1, "dropped", line, ""));
            }
        }
        return mutants;
    }

    private static LuaMutant changed(String file, int line, String before, MatchResult place, String replacement) {
        String after = before.substring(0, place.start()) + replacement + before.substring(place.end());
        return new LuaMutant(file, line, place.group() + " to " + replacement, before, after);
    }

    /** The file with this change. */
    String in(String source) {
        List<String> lines = new ArrayList<>(source.lines().toList());
        lines.set(line - 1, after);
        return String.join("\n", lines);
    }

    @Override
    public String toString() {
        return file + ".lua:" + line + " " + change + ": " + before.strip();
    }
}
