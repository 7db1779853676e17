package io.holdfast.lock.redis;

import io.holdfast.lock.redis.driver.DriverConnections;
import io.holdfast.lock.redis.driver.Wire;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One set of connections, and the two ways to send scripts over it. */
final class Channel {

    private final DriverConnections connections;
    private final ScriptRunner runner;
    private final @Nullable WireCalls wire;

    /** @param doubts see {@link ScriptRunner} */
    Channel(DriverConnections connections, Duration commandTimeout, ScriptRunner.Doubts doubts) {
        this.connections = connections;
        this.runner = new ScriptRunner(connections, commandTimeout, doubts);
        Wire raw = connections.wire();
        this.wire = raw == null ? null : new WireCalls(raw, runner, isCluster());
    }

    /** By way of Spring Data, which knows every driver. */
    ScriptRunner runner() {
        return runner;
    }

    /** By way of the driver itself; null if that is not known, and then it is no cluster either. */
    @Nullable
    WireCalls wire() {
        return wire;
    }

    /** By way of the driver itself if that is known: Spring Data's takes a fifth longer, on a cluster more. */
    ScriptRunner.Reply run(Wire.ScriptCall call) {
        return begin(call).get();
    }

    /** Sends at once, if the driver is known. */
    Supplier<ScriptRunner.Reply> begin(Wire.ScriptCall call) {
        return wire == null ? () -> runner.run(call) : wire.begin(call);
    }

    boolean isCluster() {
        return connections.isCluster();
    }

    DriverConnections connections() {
        return connections;
    }
}
