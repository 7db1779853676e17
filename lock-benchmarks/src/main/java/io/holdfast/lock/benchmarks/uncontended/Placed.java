package io.holdfast.lock.benchmarks.uncontended;

import io.holdfast.lock.benchmarks.peer.Servers;
import java.util.List;
import redis.clients.jedis.Jedis;

/** Binds the Redis servers to the core that a placement requires, until it is closed. */
final class Placed implements AutoCloseable {

    /** For a client that is not bound. */
    static final String ANY = "any";

    private final List<Integer> allowed = Cores.allowed();
    private final Placement placement;
    private final List<Long> redis;

    Placed(Servers servers, Placement wanted) {
        this.placement = allowed.size() < 2 ? Placement.ANYWHERE : wanted;
        this.redis = servers.ports().stream().map(Placed::processId).toList();
        if (placement != Placement.ANYWHERE) {
            bind(Cores.text(allowed.subList(0, 1)));
        }
    }

    private void bind(String cores) {
        redis.forEach(process -> Cores.bind(process, cores));
    }

    String clientCores() {
        return switch (placement) {
            case ANYWHERE -> ANY;
            case APART -> Cores.text(allowed.subList(1, allowed.size()));
            case TOGETHER -> Cores.text(allowed.subList(0, 1));
        };
    }

    private static Long processId(int redisPort) {
        try (Jedis redis = new Jedis("127.0.0.1", redisPort)) {
            return redis.info("server")
                    .lines()
                    .filter(line -> line.startsWith("process_id:"))
                    .map(line ->
                            Long.valueOf(line.substring("process_id:".length()).strip()))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Override
    public void close() {
        if (placement != Placement.ANYWHERE) {
            bind(Cores.text(allowed));
        }
    }
}
