package io.holdfast.lock.redis;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;

/** The contract by a connection factory of which nothing is known: scripts go by way of Spring Data. */
abstract class UnknownFactoryContract extends RedisContract {

    private final RedisTopology topology;
    private final TestRedis.Client client;

    UnknownFactoryContract(RedisTopology topology, TestRedis.Client client) {
        super(topology, client);
        this.topology = topology;
        this.client = client;
    }

    @Override
    public LockStore store() {
        return OpenStore.byUnknownFactory(topology, client);
    }
}
