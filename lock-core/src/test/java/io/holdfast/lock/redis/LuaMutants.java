package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Mutants of the scripts against the tests of the contract: the counterpart of PIT, which knows no Lua. Runs in the profile
 * {@code mutation} only, see {@code docs/internals/how-we-test.md}.
 *
 * <p>Another process tries the mutants. One that does not come back ends with it, and the next process goes on behind it.
 */
class LuaMutants {

    private static final int KILLED_PERCENT = Integer.getInteger("lua.killed", 90);

    /** Names of scripts, without their ending, after each other; none for all. */
    private static final List<String> FILES =
            List.of(System.getProperty("lua.files", "").split("\\W+"));

    private static final Path REPORT = Path.of("target", "mutation", "lua.txt");
    private static final String WORD = "mutant: ";
    private static final String GREEN = "green";
    private static final String END = "end";

    @Test
    @Timeout(value = 6, unit = TimeUnit.HOURS)
    void most_mutants_of_the_scripts_are_killed() throws Exception {
        List<LuaMutant> mutants = mutants(FILES);
        List<LuaMutantResult> results = new ArrayList<>();
        while (results.size() < mutants.size()) {
            tryFrom(mutants, results);
        }
        String report = report(mutants, results);
        System.out.print(report);
        assertThat(percent(results)).as(report).isGreaterThanOrEqualTo(KILLED_PERCENT);
    }

    static List<LuaMutant> all() {
        return mutants(List.of(""));
    }

    private static List<LuaMutant> mutants(List<String> files) {
        return new LuaSources()
                .files().entrySet().stream()
                        .filter(file -> files.contains("") || files.contains(file.getKey()))
                        .flatMap(file -> LuaMutant.of(file.getKey(), file.getValue()).stream())
                        .toList();
    }

    /** Until a mutant has put the server out of order, or the process. */
    private static void tryFrom(List<LuaMutant> mutants, List<LuaMutantResult> results) throws Exception {
        try (WorkerProcess process =
                WorkerProcess.start(LuaMutants.class, String.valueOf(results.size()), String.join(" ", FILES))) {
            assertThat(nextWord(process)).as("without any mutant").isEqualTo(GREEN);
            while (results.size() < mutants.size()) {
                String word = nextWord(process);
                if (word.equals(END)) {
                    return;
                }
                results.add(LuaMutantResult.valueOf(word));
                write(report(mutants, results));
            }
        } catch (IOException silent) {
            results.add(LuaMutantResult.TIMED_OUT);
        }
    }

    /** What is known so far: it takes long. */
    private static void write(String report) throws IOException {
        Files.createDirectories(REPORT.getParent());
        Files.writeString(REPORT, report);
    }

    /** Tests print as well. */
    private static String nextWord(WorkerProcess process) throws IOException, InterruptedException {
        while (true) {
            String line = process.nextLine();
            if (line.startsWith(WORD)) {
                return line.substring(WORD.length());
            }
        }
    }

    private static void say(Object word) {
        System.out.println(WORD + word);
    }

    /** The other process. */
    public static void main(String[] arguments) {
        List<LuaMutant> mutants = mutants(List.of(arguments[1].split(" ")));
        LuaMutantTrial trial = new LuaMutantTrial(new LuaSources());
        LuaEquivalents equivalents = LuaEquivalents.read();
        say(trial.failing().orElse(GREEN));
        boolean well = true;
        for (int i = Integer.parseInt(arguments[0]); i < mutants.size() && well; i++) {
            LuaMutant mutant = mutants.get(i);
            LuaMutantResult result = equivalents.has(mutant) ? LuaMutantResult.EQUIVALENT : trial.judge(mutant);
            well = LuaMutantTrial.isServerWell();
            say(well ? result : LuaMutantResult.TIMED_OUT);
        }
        say(END);
        System.exit(0);
    }

    private static String report(List<LuaMutant> mutants, List<LuaMutantResult> results) {
        Map<String, Map<LuaMutantResult, Integer>> byFile = new TreeMap<>();
        StringBuilder survivors = new StringBuilder();
        for (int i = 0; i < results.size(); i++) {
            byFile.computeIfAbsent(mutants.get(i).file(), file -> new EnumMap<>(LuaMutantResult.class))
                    .merge(results.get(i), 1, Integer::sum);
            if (results.get(i) == LuaMutantResult.SURVIVED) {
                survivors.append(mutants.get(i)).append('\n');
            }
        }
        String files = byFile.entrySet().stream()
                .map(file -> file.getKey() + ".lua " + file.getValue() + '\n')
                .collect(Collectors.joining());
        return survivors + files + "killed " + percent(results) + " % of " + viable(results) + '\n';
    }

    private static long viable(List<LuaMutantResult> results) {
        return results.stream()
                .filter(each -> each != LuaMutantResult.NO_LUA && each != LuaMutantResult.EQUIVALENT)
                .count();
    }

    private static long percent(List<LuaMutantResult> results) {
        long alive = results.stream()
                .filter(each -> each == LuaMutantResult.SURVIVED)
                .count();
        return 100 * (viable(results) - alive) / Math.max(1, viable(results));
    }
}
