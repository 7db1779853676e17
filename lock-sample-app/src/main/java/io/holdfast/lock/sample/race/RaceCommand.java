package io.holdfast.lock.sample.race;

import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.stereotype.Component;

/**
 * With {@code --shop.race=1000}, runs both races and prints a table to standard output, and the application exits. Without it,
 * does nothing. The option is checked at run time, since a condition on the bean would be evaluated during an ahead-of-time
 * build.
 */
@Component
class RaceCommand implements ApplicationRunner, ExitCodeGenerator {

    private static final String LINE = "%-13s %9s %7s %7s %9s %10s %10s %10s%n";

    private final RaceDirector director;
    private final @Nullable Integer items;
    private final int workers;
    private int exitCode = 1;

    RaceCommand(
            RaceDirector director,
            @Value("${shop.race:#{null}}") @Nullable Integer items,
            @Value("${shop.race.workers:" + RaceSettings.DEFAULT_WORKERS + "}") int workers) {
        this.director = director;
        this.items = items;
        this.workers = workers;
    }

    @Override
    @SuppressWarnings("SystemOut") // the table is the output of this command, not a log
    public void run(ApplicationArguments arguments) {
        if (items == null) {
            return;
        }
        RaceResult unlocked = director.run(new RaceSettings(items, false, workers, false));
        RaceResult locked = director.run(new RaceSettings(items, true, workers, false));
        System.out.print(text(unlocked, locked));
        exitCode = locked.isSound() ? 0 : 1;
    }

    static String text(RaceResult unlocked, RaceResult locked) {
        String header =
                format(LINE, "mode", "instances", "items", "sold", "oversold", "mean wait", "max wait", "duration");
        return format("%n")
                + header
                + table(unlocked)
                + table(locked)
                + format("%nWithout the lock %s With it %s%n%n", outcome(unlocked), outcome(locked));
    }

    private static String table(RaceResult result) {
        Race race = result.race();
        StringBuilder text = new StringBuilder(format(
                LINE,
                race.locked() ? "with lock" : "without lock",
                result.instances().size(),
                race.items(),
                race.sold(),
                race.oversold(),
                race.locked() ? format("%.1f ms", race.meanWaitMillis()) : "-",
                race.locked() ? format("%.1f ms", race.maxWaitMillis()) : "-",
                format("%.1f s", race.durationMillis() / 1000.0)));
        for (RaceResult.Runner runner : result.instances()) {
            String gone = runner.state().equals("GONE") ? " and stopped responding" : "";
            String failure = runner.failure().isEmpty() ? "" : "; a worker failed: " + runner.failure();
            text.append(format("    %s sold %d%s%s%n", runner.instance(), runner.sold(), gone, failure));
        }
        return text.toString();
    }

    private static String outcome(RaceResult result) {
        if (result.race().oversold() > 0) {
            return result.race().oversold() + " items were sold that were not in stock.";
        }
        return result.isSound() ? "every item was sold exactly once." : "nothing was oversold.";
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }

    @Override
    public int getExitCode() {
        return exitCode;
    }
}
