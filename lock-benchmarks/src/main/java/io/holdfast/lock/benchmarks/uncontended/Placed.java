package io.holdfast.lock.benchmarks.uncontended;

import java.util.List;
import redis.clients.jedis.Jedis;

/** Redis on the core of a placement, until it is closed. */
final class Placed implements AutoCloseable {

    /** For a client that is not bound. */
    static final String ANY = "any";

    private final List<Integer> allowed = Cores.allowed();
    private final Placement placement;
    private final long redis;

    Placed(int redisPort, Placement wanted) {
        this.placement = allowed.size() < 2 ? Placement.ANYWHERE : wanted;
        this.redis = processId(redisPort);
        if (placement != Placement.ANYWHERE) {
            Cores.bind(redis, Cores.text(allowed.subList(0, 1)));
        }
    }

    String clientCores() {
        return switch (placement) {
            case ANYWHERE -> ANY;
            case APART -> Cores.text(allowed.subList(1, allowed.size()));
            case TOGETHER -> Cores.text(allowed.subList(0, 1));
        };
    }

    private static long processId(int redisPort) {
        try (Jedis redis = new Jedis("127.0.0.1", redisPort)) {
            return redis.info("server")
                    .lines()
                    .filter(line -> line.startsWith("process_id:"))
                    .mapToLong(line -> Long.parseLong(
                            line.substring("process_id:".length()).strip()))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Override
    public void close() {
        if (placement != Placement.ANYWHERE) {
            Cores.bind(redis, Cores.text(allowed));
        }
    }
}
