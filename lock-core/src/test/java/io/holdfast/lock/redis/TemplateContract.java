package io.holdfast.lock.redis;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;

/** The contract through {@code RedisTemplate}, on a connection factory of which nothing is known. */
abstract class TemplateContract extends RedisContract {

    private final RedisTopology topology;
    private final TestRedis.Client client;

    TemplateContract(RedisTopology topology, TestRedis.Client client) {
        super(topology, client);
        this.topology = topology;
        this.client = client;
    }

    @Override
    public LockStore store() {
        return OpenStore.byUnknownFactory(topology, client);
    }

    @Override
    public ReleaseReply notHolder() {
        return ReleaseReply.GONE;
    }
}
