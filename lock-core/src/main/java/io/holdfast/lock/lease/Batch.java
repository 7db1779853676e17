package io.holdfast.lock.lease;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leases that fell due together: they are renewed by one call, and as long as nothing happens to one of them, they fall
 * due together again. So they need one alarm, not one each. A lease belongs to a batch as long as it says so itself.
 */
final class Batch implements Alarms.Subject {

    private final String server;
    private final List<Lease> leases;

    /** When they are to be renewed; of no use while they are being renewed. */
    volatile long renewAt;

    /** Whether they are being renewed. Written under this monitor. */
    volatile boolean pending = true;

    /** Guarded by this monitor. */
    Alarms.@Nullable Alarm alarm;

    Batch(String server, List<Lease> leases) {
        this.server = server;
        this.leases = List.copyOf(leases);
    }

    /** Which server had their locks when they were put together. */
    String server() {
        return server;
    }

    /** All that have ever belonged to it. */
    List<Lease> leases() {
        return leases;
    }

    boolean has(Lease lease) {
        return lease.batch == this;
    }
}
