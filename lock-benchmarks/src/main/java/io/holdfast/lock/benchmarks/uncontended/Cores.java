package io.holdfast.lock.benchmarks.uncontended;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Binds processes to cores with {@code taskset}; without it, or with only one core, nothing is bound. */
final class Cores {

    private Cores() {}

    /** {@return the cores that this process may use; empty if that is unknown} */
    static List<Integer> allowed() {
        try {
            String answer =
                    taskset("-cp", String.valueOf(ProcessHandle.current().pid()));
            return parse(answer.substring(answer.lastIndexOf(':') + 1).strip());
        } catch (UncheckedIOException | NumberFormatException notHere) {
            return List.of();
        }
    }

    /** {@return the cores of a list like 0-2,5} */
    static List<Integer> parse(String list) {
        List<Integer> cores = new ArrayList<>();
        for (String part : list.split(",", -1)) {
            String[] ends = part.split("-", -1);
            for (int core = Integer.parseInt(ends[0]); core <= Integer.parseInt(ends[ends.length - 1]); core++) {
                cores.add(core);
            }
        }
        return cores;
    }

    static String text(List<Integer> cores) {
        return cores.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    static void bind(long pid, String cores) {
        taskset("-acp", cores, String.valueOf(pid));
    }

    private static String taskset(String... arguments) {
        List<String> command = new ArrayList<>(List.of("taskset"));
        command.addAll(List.of(arguments));
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
