package io.holdfast.lock.testing;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import redis.clients.jedis.Jedis;

/** One of several servers that know each other, with operations for tests. */
public final class ServerNode {

    /** Longer than a stall of the machine, since not all calls are repeated. */
    private static final int TIMEOUT_MILLIS = 30_000;

    private final RedisServerProcess server;
    private volatile State state = State.RUNNING;

    private enum State {
        RUNNING,
        PAUSED,
        KILLED
    }

    ServerNode(RedisServerProcess server) {
        this.server = server;
    }

    public int port() {
        return server.port();
    }

    /** Whether it is neither paused nor killed. */
    public boolean isRunning() {
        return state == State.RUNNING;
    }

    /** Makes it hang; its connections stay open. */
    public void pause() {
        state = State.PAUSED;
        server.pause();
    }

    public void resume() {
        server.resume();
        state = State.RUNNING;
    }

    public void kill() {
        state = State.KILLED;
        server.kill();
    }

    /** Starts it empty, on the same port; it is still the same node of its cluster. */
    public void startAgain() {
        server.startAgain();
        state = State.RUNNING;
    }

    /** Sets its wall clock forward or back, if it was started so that this is possible. */
    public void step(Duration by) {
        server.step(by);
    }

    void runAgain() {
        switch (state) {
            case PAUSED -> resume();
            case KILLED -> startAgain();
            case RUNNING -> {}
        }
    }

    /** An administrator's connection, which the caller must close. */
    public Jedis connect() {
        return new Jedis("127.0.0.1", port(), TIMEOUT_MILLIS);
    }

    public <T> T ask(Function<Jedis, T> question) {
        try (Jedis jedis = connect()) {
            return question.apply(jedis);
        }
    }

    void run(Consumer<Jedis> order) {
        try (Jedis jedis = connect()) {
            order.accept(jedis);
        }
    }

    /** A section of {@code INFO}. */
    Map<String, String> info(String section) {
        return lines(ask(jedis -> jedis.info(section)));
    }

    static Map<String, String> lines(String info) {
        return Arrays.stream(info.split("\r?\n"))
                .map(line -> line.split(":", 2))
                .filter(pair -> pair.length == 2)
                .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    }

    boolean isMaster() {
        return "master".equals(info("replication").get("role"));
    }

    /** Whether it is a replica that has all of its master's data. */
    boolean isInStep() {
        Map<String, String> replication = info("replication");
        return "slave".equals(replication.get("role")) && "up".equals(replication.get("master_link_status"));
    }

    void close() {
        server.close();
    }

    @Override
    public String toString() {
        return "Redis on port " + port();
    }
}
