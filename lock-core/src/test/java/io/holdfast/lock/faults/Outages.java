package io.holdfast.lock.faults;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.ServerNode;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

/** What goes wrong with servers of every kind. */
final class Outages {

    static final Duration LONGER_THAN_LEASE =
            LockPlace.SHORT_LEASE.multipliedBy(3).dividedBy(2);
    static final Duration SHORTER_THAN_LEASE = LockPlace.SHORT_LEASE.dividedBy(3);

    /** A lease that a holder still has when another server has become the master. */
    static final Duration LONGER_THAN_FAILOVER = Duration.ofSeconds(8);

    /** Long enough to grant some locks, and too short for the others to notice. */
    private static final Duration ALONE = Duration.ofMillis(1500);

    /** Between the bytes of a reply: a call may take 1 s. */
    static final Duration TRICKLE = Duration.ofMillis(800);

    /** So that the next fault does not prolong a wait for a free lock, which may last 4 s. */
    private static final Duration REST = Duration.ofSeconds(2);

    /** Between two readings of clocks on a busy machine. */
    private static final Duration DELAY = Duration.ofMillis(500);

    /** Longer than any lease here, and as good as any longer time. */
    static final Duration CLOCK_STEP = Duration.ofHours(1);

    private Outages() {}

    /** A server whose clock can be stepped, if there is a C compiler for that. */
    static RedisServerProcess startServer() {
        return RedisServerProcess.isSteppable() ? RedisServerProcess.startSteppable() : RedisServerProcess.start();
    }

    /**
     * What can be done to clocks here: nothing, where there is no C compiler.
     *
     * @param steps faults that step clocks
     */
    static List<Fault> withSteps(List<Fault> others, Fault... steps) {
        if (!RedisServerProcess.isSteppable()) {
            System.err.println("SKIPPED: steps of the servers' clocks, since there is no C compiler");
            return others;
        }
        return Stream.concat(others.stream(), Arrays.stream(steps)).toList();
    }

    /**
     * Leases end early at the server: whoever held a lock believes so until its own lease is over. With a message of a grant
     * that is at most the time that a lock is reserved for.
     *
     * @param lease of the locks
     */
    static Duration untilLeasesAreOver(Duration lease) {
        return lease.compareTo(LockStore.RESERVATION) > 0 ? lease.plus(DELAY) : LockStore.RESERVATION.plus(DELAY);
    }

    /**
     * What can be done to connections of all clients.
     *
     * @param name of the servers
     * @param servers chooses their ports for each fault
     * @param pause between the bytes of a reply that trickles: less than the time limit of a call, which it makes too long
     */
    static List<Fault> ofNetwork(String name, Network network, Supplier<Collection<Integer>> servers, Duration pause) {
        return Stream.of(
                        new Fault("connections to " + name + " dead without a sign", () -> network.lose(servers.get())),
                        new Fault(
                                "connections to " + name + " refused for 3 s",
                                () -> network.refuse(servers.get(), LONGER_THAN_LEASE)),
                        new Fault(
                                "no reply to attempts to connect to " + name + " for 3 s",
                                () -> network.swallow(servers.get(), LONGER_THAN_LEASE)),
                        new Fault(
                                "replies of " + name + " trickle for 3 s",
                                () -> network.trickle(servers.get(), pause, LONGER_THAN_LEASE)))
                .map(Outages::withRest)
                .toList();
    }

    private static Fault withRest(Fault fault) {
        return new Fault(fault.name(), () -> {
            fault.action().happen();
            sleep(REST);
        });
    }

    static void sleep(Duration time) throws InterruptedException {
        Thread.sleep(time.toMillis());
    }

    /**
     * A master goes on without its replicas for a while, and dies: what it granted meanwhile, only it knew. They do not
     * even get what was on its way to them.
     */
    static void killWithoutReplicas(ServerNode master, List<ServerNode> replicas) throws InterruptedException {
        replicas.forEach(ServerNode::pause);
        master.ask(jedis -> jedis.clientKill(new ClientKillParams().type(ClientType.REPLICA)));
        sleep(ALONE);
        master.kill();
        replicas.forEach(ServerNode::resume);
    }
}
