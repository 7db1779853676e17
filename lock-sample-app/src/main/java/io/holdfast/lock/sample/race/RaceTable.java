package io.holdfast.lock.sample.race;

import java.util.List;
import java.util.Locale;

/** Results as plain text. */
final class RaceTable {

    private static final String LINE = "%-13s %9s %7s %7s %9s %10s %10s %10s%n";

    private RaceTable() {}

    static String of(List<RaceResult> results) {
        StringBuilder text = new StringBuilder(
                format(LINE, "mode", "instances", "items", "sold", "oversold", "mean wait", "max wait", "duration"));
        for (RaceResult result : results) {
            text.append(format(
                    LINE,
                    mode(result),
                    result.instances().size(),
                    result.items(),
                    result.sold(),
                    result.oversold(),
                    wait(result, result.meanWaitMillis()),
                    wait(result, result.maxWaitMillis()),
                    format("%.1f s", result.durationMillis() / 1000.0)));
            for (RunnerResult runner : result.instances()) {
                text.append(format("    %s sold %d%s%n", runner.instance(), runner.sold(), remark(runner)));
            }
        }
        return text.toString();
    }

    private static String mode(RaceResult result) {
        return result.locked() ? "with lock" : "without lock";
    }

    private static String wait(RaceResult result, double millis) {
        return result.locked() ? format("%.1f ms", millis) : "-";
    }

    private static String remark(RunnerResult runner) {
        String gone = runner.state() == RunnerState.GONE ? " and was not heard of since" : "";
        return runner.failure().isEmpty() ? gone : gone + "; a worker failed: " + runner.failure();
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
