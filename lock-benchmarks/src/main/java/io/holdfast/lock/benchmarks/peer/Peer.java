package io.holdfast.lock.benchmarks.peer;

import io.holdfast.lock.api.LockTemplate;
import org.redisson.api.RedissonClient;

/** What is compared, with leases of the same length. */
public enum Peer {
    HOLDFAST("Holdfast") {
        @Override
        public LockClient open(int port, long leaseMillis) {
            return new HoldfastClient(port, leaseMillis, LockTemplate::getLock);
        }
    },
    HOLDFAST_FAIR("Holdfast, fair") {
        @Override
        public LockClient open(int port, long leaseMillis) {
            return new HoldfastClient(port, leaseMillis, (locks, request) -> locks.getLock(request.fair(true)));
        }
    },
    FLOOR("bare Jedis") {
        @Override
        public LockClient open(int port, long leaseMillis) {
            return new BareJedisClient(port, leaseMillis);
        }
    },
    REDISSON("Redisson") {
        @Override
        public LockClient open(int port, long leaseMillis) {
            return new RedissonLockClient(port, leaseMillis, RedissonClient::getLock);
        }
    },
    REDISSON_FAIR("Redisson, fair") {
        @Override
        public LockClient open(int port, long leaseMillis) {
            return new RedissonLockClient(port, leaseMillis, RedissonClient::getFairLock);
        }
    },
    REDISSON_FENCED("Redisson, fenced") {
        @Override
        public LockClient open(int port, long leaseMillis) {
            return new RedissonLockClient(port, leaseMillis, RedissonClient::getFencedLock);
        }
    },
    SPRING("Spring Integration") {
        @Override
        public LockClient open(int port, long leaseMillis) {
            return new SpringIntegrationClient(port, leaseMillis);
        }
    },
    LOCK4J("Lock4j") {
        @Override
        public LockClient open(int port, long leaseMillis) {
            return new Lock4jClient(port, leaseMillis);
        }
    };

    /**
     * The most connections for calls in a client's pool: Redisson's default, and one for each thread of the rows with many.
     * Holdfast has its own default instead, 16.
     */
    static final int CONNECTIONS = 64;

    private final String title;

    Peer(String title) {
        this.title = title;
    }

    /** {@return its name in tables} */
    public String title() {
        return title;
    }

    /**
     * {@return a client}
     *
     * @param port of Redis, or of a proxy before it, on this machine
     * @param leaseMillis how long a lock survives without renewal
     */
    public abstract LockClient open(int port, long leaseMillis);
}
