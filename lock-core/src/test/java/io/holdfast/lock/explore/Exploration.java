package io.holdfast.lock.explore;

/** Explores, and prints what was found. */
final class Exploration {

    private Exploration() {}

    static Explorer.Result run(Setting setting, int mostStates) {
        return run(setting.toString(), new SingleServer(setting), mostStates);
    }

    static Explorer.Result run(String name, Model<?> model, int mostStates) {
        long start = System.nanoTime();
        Explorer.Result result = Explorer.explore(model, mostStates);
        System.out.printf("%s: %s in %,d ms%n", name, result.summary(), (System.nanoTime() - start) / 1_000_000);
        if (result.violation() != null) {
            System.out.println(String.join(System.lineSeparator(), result.trace()));
        }
        return result;
    }
}
