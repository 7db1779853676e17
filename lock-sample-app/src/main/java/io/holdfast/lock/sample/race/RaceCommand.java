package io.holdfast.lock.sample.race;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationArguments;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.ExitCodeGenerator;
import org.springframework.stereotype.Component;

/**
 * {@code --shop.race=1000}: both races, a table on standard output, and out. Without it, nothing. That is asked when the
 * application runs, since a condition on the bean would be decided when it is built ahead of time.
 */
@Component
class RaceCommand implements ApplicationRunner, ExitCodeGenerator {

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
    @SuppressWarnings("SystemOut") // the table is this command's answer, not a log
    public void run(ApplicationArguments arguments) throws InterruptedException {
        if (items == null) {
            return;
        }
        RaceResult unlocked = director.run(new RaceSettings(items, false, workers, false));
        RaceResult locked = director.run(new RaceSettings(items, true, workers, false));
        System.out.print(text(unlocked, locked));
        exitCode = isSound(locked) ? 0 : 1;
    }

    static String text(RaceResult unlocked, RaceResult locked) {
        return String.join(
                System.lineSeparator(),
                "",
                alone(locked) + RaceTable.of(List.of(unlocked, locked)),
                verdict(unlocked, locked),
                "",
                "");
    }

    private static String alone(RaceResult result) {
        return result.instances().size() > 1
                ? ""
                : "This is the only live instance: its threads race with each other. Start another instance and try"
                        + " again to see instances race." + System.lineSeparator() + System.lineSeparator();
    }

    private static String verdict(RaceResult unlocked, RaceResult locked) {
        return "Without the lock " + outcome(unlocked) + " With it " + outcome(locked);
    }

    private static String outcome(RaceResult result) {
        if (result.oversold() > 0) {
            return result.oversold() + " items were sold that were not in stock.";
        }
        return isSound(result) ? "every item was sold exactly once." : "nothing was oversold.";
    }

    static boolean isSound(RaceResult result) {
        return result.sold() == result.items() && result.stockLeft() == 0;
    }

    @Override
    public int getExitCode() {
        return exitCode;
    }
}
