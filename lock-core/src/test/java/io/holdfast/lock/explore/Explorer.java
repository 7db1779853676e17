package io.holdfast.lock.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Visits every state of a model, breadth first, so that the first counterexample is a shortest one.
 *
 * <p>Of a state it keeps a fingerprint, its parent, and the step that led to it; when its turn comes, it is made anew by
 * taking the steps from the beginning. So ten million states fit into 300 MB.
 */
final class Explorer<S> {

    /**
     * What was found.
     *
     * @param states how many distinct states were visited
     * @param transitions how many steps were taken, those to known states included
     * @param depth how many steps lead to the last state
     * @param exhausted whether no state is left to be looked at
     * @param violation what is broken, or null
     * @param trace the steps to the violation
     */
    record Result(
            int states,
            long transitions,
            int depth,
            boolean exhausted,
            @Nullable String violation,
            List<String> trace) {

        String summary() {
            return String.format(
                    Locale.ROOT,
                    "%,d states, %,d steps, depth %d, %s%s",
                    states,
                    transitions,
                    depth,
                    exhausted ? "exhausted" : "bound reached",
                    violation == null ? "" : ": " + violation);
        }

        String story() {
            return violation + System.lineSeparator() + String.join(System.lineSeparator(), trace);
        }
    }

    private final Model<S> model;
    private final int mostStates;
    private final Fingerprints known = new Fingerprints();
    private int[] parents = new int[1 << 12];
    private int[] steps = new int[1 << 12];
    private int count;
    private long transitions;

    Explorer(Model<S> model, int mostStates) {
        this.model = model;
        this.mostStates = mostStates;
    }

    static <S> Result explore(Model<S> model, int mostStates) {
        return new Explorer<>(model, mostStates).run();
    }

    private Result run() {
        S start = model.initial();
        known.add(model.fingerprint(start));
        note(-1, 0);
        String broken = model.violation(start);
        int next = 0;
        while (broken == null && next < count && count < mostStates) {
            broken = expand(next++);
        }
        List<Integer> path = path(count - 1);
        return new Result(
                count, transitions, path.size(), next == count, broken, broken == null ? List.of() : trace(path));
    }

    private @Nullable String expand(int number) {
        S state = state(number);
        int[] offered = offered(state);
        for (int i = 0; i < offered.length; i++) {
            S next = i == offered.length - 1 ? state : model.copy(state);
            model.take(next, offered[i]);
            transitions++;
            if (known.add(model.fingerprint(next))) {
                note(number, offered[i]);
                String broken = model.violation(next);
                if (broken != null) {
                    return broken;
                }
            }
        }
        return null;
    }

    private int[] offered(S state) {
        int[] found = new int[32];
        int[] size = {0};
        int[][] holder = {found};
        model.steps(state, step -> {
            if (size[0] == holder[0].length) {
                holder[0] = Arrays.copyOf(holder[0], 2 * size[0]);
            }
            holder[0][size[0]++] = step;
        });
        return Arrays.copyOf(holder[0], size[0]);
    }

    private void note(int parent, int step) {
        if (count == parents.length) {
            parents = Arrays.copyOf(parents, 2 * count);
            steps = Arrays.copyOf(steps, 2 * count);
        }
        parents[count] = parent;
        steps[count] = step;
        count++;
    }

    private S state(int number) {
        S state = model.initial();
        path(number).forEach(step -> model.take(state, step));
        return state;
    }

    private List<Integer> path(int number) {
        List<Integer> path = new ArrayList<>();
        for (int at = number; parents[at] >= 0; at = parents[at]) {
            path.add(0, steps[at]);
        }
        return path;
    }

    private List<String> trace(List<Integer> path) {
        List<String> lines = new ArrayList<>();
        S state = model.initial();
        for (int step : path) {
            String what = model.describe(state, step);
            model.take(state, step);
            lines.add(String.format(Locale.ROOT, "%3d  %s%s", lines.size() + 1, what, model.outcome(state)));
        }
        return lines;
    }
}
