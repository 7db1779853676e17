package io.holdfast.lock.faults;

import io.holdfast.lock.testing.ServerNode;
import java.time.Duration;
import java.util.List;
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

    private Outages() {}

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
