package io.holdfast.lock.benchmarks.peer;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The Redis servers of a peer, on this machine. As text, they can be passed to another process.
 *
 * @param ports one, or several of a cluster or a quorum
 */
public record Servers(List<Integer> ports) {

    private static final String SEPARATOR = "+";

    public static Servers of(int port) {
        return new Servers(List.of(port));
    }

    /** The inverse of {@link #toString}. */
    public static Servers parse(String text) {
        return new Servers(Arrays.stream(text.split("\\" + SEPARATOR))
                .map(Integer::valueOf)
                .toList());
    }

    @Override
    public String toString() {
        return ports.stream().map(String::valueOf).collect(Collectors.joining(SEPARATOR));
    }

    /** {@return the port of the only server} */
    int only() {
        if (ports.size() != 1) {
            throw new IllegalStateException("Exactly one server is needed, but there are " + ports.size());
        }
        return ports.get(0);
    }
}
