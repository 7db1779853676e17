package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.spring.actuate.LocksDescriptors.Holder;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** What the endpoint answers of all locks. Times are texts, as in {@link LocksDescriptors}; what is not known is left out. */
final class OverviewDescriptors {

    private OverviewDescriptors() {}

    /**
     * One page of all locks.
     *
     * @param time when the scan ended
     * @param total how many locks match
     */
    record Overview(
            String time,
            boolean complete,
            int total,
            int page,
            int size,
            Instance instance,
            List<Lock> locks,
            List<Deadlock> deadlocks,
            List<Wait> blocked,
            List<Event> events)
            implements OperationResponseBody {}

    /** The application instance that answers. */
    record Instance(String clientId, String host, long pid) {}

    /** @param id the same for the same key as long as this process runs, whether or not the key is shown */
    record Lock(String id, String key, long fencingToken, List<Holder> holders, int waiters, List<Waiter> queue) {}

    record Waiter(String clientId, String host, long pid, String thread, String mode, boolean fair, boolean reserved) {}

    /** @param waits each waits for the next one, and the last one for the first */
    record Deadlock(List<Wait> waits) {}

    /** A thread that waits for one lock while it holds others. */
    record Wait(
            String clientId,
            String host,
            long pid,
            String thread,
            String key,
            String id,
            String waited,
            List<Held> holds) {}

    record Held(String key, String id) {}

    /** Something that happened to a lock of this instance. */
    record Event(
            String type,
            String time,
            String key,
            String id,
            @Nullable String cause,
            @Nullable String thread,
            String host) {}
}
