package io.holdfast.lock.spring.autoconfigure.actuate;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Data;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Held;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Job;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.JobList;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Lock;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Locks;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Released;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Waiting;
import io.holdfast.lock.spring.definition.LockOperationSource;
import io.holdfast.lock.spring.jobs.JobStatus;
import io.holdfast.lock.spring.jobs.Jobs;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * {@code /actuator/locks}: the locks that this client holds or waits for, the annotated methods, a single lock as stored, and jobs.
 * Releases locks by force and pauses jobs only if {@code management.endpoint.locks.access} is {@code unrestricted}; otherwise it is read-only.
 *
 * <p>A key may contain slashes, so it is the entire rest of the path. A path cannot represent every key (two slashes in a row
 * become one): such a key is passed as {@code exactKey} instead, and the path is ignored.
 *
 * @param beans queried on each request, so that the endpoint does not create lazy beans
 * @param operations finds the annotated methods
 * @param showKeys who may see keys
 * @param showData who may see the content of data
 * @param masksKeys whether keys are masked, and so what may contain them
 * @param jobs the jobs of this application
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
record LocksEndpoint(
        ConfigurableListableBeanFactory beans,
        LockOperationSource operations,
        Show showKeys,
        Show showData,
        boolean masksKeys,
        SharedScan<List<JobStatus>> jobs) {

    @ReadOperation
    Locks locks() {
        return locks(showKeys.isShown(true));
    }

    Locks locks(boolean withKeys) {
        Optional<LocalLocks> local =
                Optional.ofNullable(beans.getBeanProvider(LocalLocks.class).getIfUnique());
        return new Locks(
                local.stream()
                        .flatMap(each -> each.held().stream())
                        .map(each -> new Held(
                                LocksDescriptors.key(each.key(), withKeys),
                                shown(each.name()),
                                each.mode().name(),
                                each.fencingToken(),
                                each.thread(),
                                LocksDescriptors.text(each.heldFor()),
                                LocksDescriptors.text(each.remaining())))
                        .toList(),
                local.stream()
                        .flatMap(each -> each.waiting().stream())
                        .map(each -> new Waiting(
                                LocksDescriptors.key(each.key(), withKeys),
                                shown(each.name()),
                                each.mode().name(),
                                each.thread(),
                                LocksDescriptors.text(each.waitedFor())))
                        .toList(),
                local.map(LocalLocks::wakeups).orElse(null),
                LockedMethods.of(beans, operations),
                LocksDescriptors.leaders(beans, true));
    }

    /** The name as in the metrics. */
    private static String shown(String name) {
        return name.isEmpty() ? "none" : name;
    }

    @ReadOperation
    Lock lock(@Selector(match = Match.ALL_REMAINING) String[] key, @Nullable String exactKey) {
        return lock(key, exactKey, showData.isShown(true));
    }

    Lock lock(String[] key, @Nullable String exactKey, boolean withData) {
        String text = keyOf(key, exactKey);
        LockTemplate locks = beans.getBean(LockTemplate.class);
        LockStatus status = locks.inspect(text);
        return LocksDescriptors.lock(
                null, text, status, data(locks, text, withData && !status.key().isMasked()));
    }

    /** Null if there is none, the store keeps no data, or cannot read it now, as while the slot of a lock is moved. */
    private static @Nullable Data data(LockTemplate locks, String key, boolean withContent) {
        try {
            return LocksDescriptors.data(locks.data(key), withContent);
        } catch (UnsupportedOperationException | LockStoreException e) {
            return null;
        }
    }

    @DeleteOperation
    Released forceRelease(@Selector(match = Match.ALL_REMAINING) String[] key, @Nullable String exactKey) {
        String text = keyOf(key, exactKey);
        return new Released(
                text, LocksDescriptors.holders(beans.getBean(LockTemplate.class).forceRelease(text)));
    }

    JobList jobs(boolean withData) {
        return new JobList(
                jobs.get().stream().map(each -> described(each, withData)).toList());
    }

    @WriteOperation
    Job pause(String job, boolean paused) {
        return pause(job, paused, showData.isShown(true));
    }

    Job pause(String job, boolean paused, boolean withData) {
        Jobs all = beans.getBean(Jobs.class);
        if (paused) {
            all.pause(job);
        } else {
            all.resume(job);
        }
        jobs.forget();
        return described(all.get(job), withData);
    }

    /** The message of a failure is data, and may contain a key. */
    private Job described(JobStatus job, boolean withData) {
        return Job.of(job, withData && !masksKeys);
    }

    private static String keyOf(String[] segments, @Nullable String exactKey) {
        return exactKey == null ? String.join("/", segments) : exactKey;
    }
}
