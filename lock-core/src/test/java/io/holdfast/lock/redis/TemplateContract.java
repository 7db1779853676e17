package io.holdfast.lock.redis;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.testing.RedisTopology;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.contract.OptionalCall;
import java.util.Set;

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

    /** Over the connections of an application, calls to the nodes of a cluster are made one after another. */
    @Override
    public Set<OptionalCall> offers() {
        Set<OptionalCall> offered = super.offers();
        if (topology == RedisTopology.CLUSTER) {
            offered.remove(OptionalCall.ACQUIRE_ALL);
        }
        return offered;
    }

    @Override
    public ReleaseReply notHolder() {
        return ReleaseReply.GONE;
    }
}
