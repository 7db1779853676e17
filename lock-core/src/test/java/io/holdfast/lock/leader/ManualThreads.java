package io.holdfast.lock.leader;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** Runs things when the test says so: what is to run at once, and what is due later. */
final class ManualThreads extends LeaderThreads {

    final Queue<Runnable> waiting = new ArrayDeque<>();
    final List<Due> due = new ArrayList<>();

    ManualThreads() {
        super.close(Duration.ZERO); // has no timer
    }

    record Due(Duration after, Runnable action) {}

    @Override
    public void execute(Runnable action) {
        waiting.add(action);
    }

    @Override
    void after(Duration time, Runnable action) {
        due.add(new Due(time, action));
    }

    @Override
    void close(Duration atMost) {}

    /** Whatever is to run at once. */
    void run() {
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
        }
    }

    /** The last that is due; time passes until then. Returns how long that was. */
    Duration pass() {
        Due last = due.remove(due.size() - 1);
        last.action().run();
        run();
        return last.after();
    }
}
