package io.holdfast.lock.benchmarks;

import io.holdfast.lock.benchmarks.report.Machine;
import io.holdfast.lock.benchmarks.report.Markdown;
import io.holdfast.lock.benchmarks.report.Results;
import io.holdfast.lock.benchmarks.report.Row;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Runs all measurements and writes the results. */
public final class Benchmarks {

    private Benchmarks() {}

    /**
     * Runs the benchmarks.
     *
     * @param args full, which writes files, or quick, which writes to standard output; the directory for files; names
     *     of rows, separated by commas, or nothing for all of them; the number of rounds, or 0 for those of the variant
     */
    public static void main(String[] args) throws IOException {
        Predicate<Work> wanted = selection(args.length > 2 ? args[2] : "");
        List<Work> timed = TimedRows.all().stream().filter(wanted).toList();
        List<Work> counted = CountedRows.all().stream().filter(wanted).toList();
        List<Work> beside = Stream.of(CountedRows.shortHolds()).filter(wanted).toList();
        Results results = new Results();
        Variant variant = Variant.named(args[0]);
        if (args.length > 3 && !args[3].equals("0")) {
            variant = variant.withRounds(Integer.parseInt(args[3]));
        }
        Machine machine =
                new Rounds(variant, results).run(timed, counted, beside).with(variant.lines());

        List<Row> rows =
                Stream.of(timed, beside).flatMap(List::stream).map(Work::row).toList();
        Markdown markdown = new Markdown(
                results, machine, rows, counted.stream().map(Work::row).toList());
        if (args[0].equals("full")) {
            markdown.write(Path.of(args[1]));
        }
        System.out.println(markdown.text());
    }

    private static Predicate<Work> selection(String names) {
        Set<String> wanted = Arrays.stream(names.split(","))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toSet());
        return work -> wanted.isEmpty() || wanted.contains(work.row().name());
    }
}
