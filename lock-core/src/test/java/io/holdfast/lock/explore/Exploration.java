package io.holdfast.lock.explore;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.holdfast.lock.engine.hold.Hold;
import org.slf4j.LoggerFactory;

/** Explores, and prints what was found. */
final class Exploration {

    private Exploration() {}

    static Explorer.Result run(Setting setting, int mostStates) {
        return run(setting.toString(), new SingleServer(setting), mostStates);
    }

    static Explorer.Result run(String name, Model<?> model, int mostStates) {
        long start = System.nanoTime();
        Logger losses = (Logger) LoggerFactory.getLogger(Hold.class.getPackageName());
        losses.setLevel(Level.OFF);
        Explorer.Result result;
        try {
            result = Explorer.explore(model, mostStates);
        } finally {
            losses.setLevel(null);
        }
        System.out.printf("%s: %s in %,d ms%n", name, result.summary(), (System.nanoTime() - start) / 1_000_000);
        if (result.violation() != null) {
            System.out.println(String.join(System.lineSeparator(), result.trace()));
        }
        return result;
    }
}
