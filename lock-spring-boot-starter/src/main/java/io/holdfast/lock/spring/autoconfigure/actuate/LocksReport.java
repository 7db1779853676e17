package io.holdfast.lock.spring.autoconfigure.actuate;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Deadlock;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Event;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.HeldKey;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Instance;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.JobList;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Report;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Wait;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;
import org.springframework.util.StringUtils;

/**
 * All locks of the store, page by page, and the latest events of this instance that need attention: losses, forced releases and long holds.
 * JMX distinguishes operations only by name, so the list of locks, and that of jobs, are exposed to JMX separately, here.
 */
@EndpointJmxExtension(endpoint = LocksEndpoint.class)
final class LocksReport implements LockListener {

    static final int MAX_EVENTS = 100;

    private static final int DEFAULT_SIZE = 100;
    private static final int MAX_SIZE = 1_000;
    private static final Duration MAX_AGE = Duration.ofDays(36_500);
    private static final int ID_BYTES = 12;

    private final LocksEndpoint endpoint;
    private final SharedScan<SharedScan.Result> scans;
    private final Show showKeys;
    private final String secret = UUID.randomUUID().toString();

    /** Newest first. */
    private volatile List<Entry> events = List.of();

    private record Entry(Instant time, String type, LockEvent.OfLock event, long fencingToken) {}

    /**
     * Selects the locks to show.
     *
     * @param name keys that are equal to it, or begin with it and a colon; null for all
     * @param key a part of the key; null for all
     * @param client a part of the host, client id or thread of a holder or waiter; null for all
     * @param minAge the minimum time that one of its holders has held the lock; null for all
     * @param page the page, starting from 0; null for the first
     * @param size the size of a page; null for the default
     */
    record Query(
            @Nullable String name,
            @Nullable String key,
            @Nullable String client,
            @Nullable Duration minAge,
            @Nullable Integer page,
            @Nullable Integer size) {

        /**
         * Parameters may be empty: a form sends empty fields, too. If keys are hidden, only the name before the first colon counts, so that
         * the number of locks does not confirm a guessed key.
         */
        private boolean matches(LockStatus lock, Instant now, boolean withKeys) {
            String shown = LocksDescriptors.key(lock.key(), true);
            return (!StringUtils.hasLength(name)
                            || (withKeys && shown.equals(name))
                            || (shown.startsWith(name + ':') && (withKeys || shown.split(":", 2)[0].equals(name))))
                    && (!StringUtils.hasLength(key) || shown.contains(key))
                    && (!StringUtils.hasLength(client) || parties(lock).anyMatch(text -> text.contains(client)))
                    && (minAge == null
                            || lock.holders().stream()
                                    .anyMatch(each -> !each.since().isAfter(now.minus(minAge))));
        }

        private static Stream<String> parties(LockStatus lock) {
            return Stream.concat(
                    lock.holders().stream().flatMap(each -> Stream.of(each.host(), each.clientId(), each.thread())),
                    lock.queue().stream().flatMap(each -> Stream.of(each.host(), each.clientId(), each.thread())));
        }
    }

    LocksReport(LocksEndpoint endpoint, SharedScan<SharedScan.Result> scans, Show showKeys) {
        this.endpoint = endpoint;
        this.scans = scans;
        this.showKeys = showKeys;
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Lost lost) {
            add("LOST", lost, lost.fencingToken());
        } else if (event instanceof LockEvent.ForceReleased forced) {
            add("FORCE_RELEASED", forced, forced.holder().fencingToken());
        } else if (event instanceof LockEvent.LongHeld held) {
            add("LONG_HELD", held, held.fencingToken());
        }
    }

    private synchronized void add(String type, LockEvent.OfLock event, long fencingToken) {
        Entry latest = new Entry(Instant.now(), type, event, fencingToken);
        events = Stream.concat(Stream.of(latest), events.stream())
                .limit(MAX_EVENTS)
                .toList();
    }

    @ReadOperation
    Report allLocks(
            @Nullable String name,
            @Nullable String client,
            @Nullable Duration minAge,
            @Nullable Integer page,
            @Nullable Integer size) {
        return show(new Query(name, null, client, minAge, page, size), showKeys.isShown(true));
    }

    @ReadOperation
    JobList jobs() {
        return endpoint.jobs(endpoint.showData().isShown(true));
    }

    /**
     * {@return one page of all locks}
     *
     * @throws IllegalArgumentException if the page, its size or the age is out of range
     */
    Report show(Query query, boolean withKeys) {
        int page = query.page() == null ? 0 : query.page();
        int size = query.size() == null ? DEFAULT_SIZE : query.size();
        if (page < 0 || size < 1 || size > MAX_SIZE) {
            throw new IllegalArgumentException("page must be 0 or more, and size 1 to " + MAX_SIZE);
        }
        Duration minAge = query.minAge();
        if (minAge != null && (minAge.isNegative() || minAge.compareTo(MAX_AGE) > 0)) {
            throw new IllegalArgumentException("minAge must be 0 or more, and at most " + MAX_AGE.toDays() + " days");
        }
        SharedScan.Result result = scans.get();
        List<LockStatus> matching = result.scan().locks().stream()
                .filter(lock -> query.matches(lock, result.time(), withKeys))
                .toList();
        return new Report(
                LocksDescriptors.text(result.time()),
                result.scan().complete(),
                result.scan().unreadable(),
                matching.size(),
                page,
                size,
                new Instance(
                        result.client().id(),
                        result.client().host(),
                        result.client().pid()),
                result.late(),
                LocksDescriptors.text(result.took()),
                matching.stream()
                        .skip((long) page * size)
                        .limit(size)
                        .map(lock -> LocksDescriptors.lock(
                                id(lock.key()), LocksDescriptors.key(lock.key(), withKeys), lock, null))
                        .toList(),
                result.waits().deadlocks().stream()
                        .map(cycle -> new Deadlock(describe(cycle.waits(), withKeys)))
                        .toList(),
                describe(result.waits().nestedWaits(), withKeys),
                events.stream()
                        .map(entry -> describe(entry, result.client().host(), withKeys))
                        .toList());
    }

    private List<Wait> describe(List<NestedWait> waits, boolean withKeys) {
        return waits.stream()
                .map(wait -> new Wait(
                        wait.clientId(),
                        wait.host(),
                        wait.pid(),
                        wait.thread(),
                        LocksDescriptors.key(wait.key(), withKeys),
                        id(wait.key()),
                        LocksDescriptors.text(wait.waitedFor()),
                        wait.holds().stream()
                                .map(held -> new HeldKey(LocksDescriptors.key(held.key(), withKeys), id(held.key())))
                                .toList()))
                .toList();
    }

    private Event describe(Entry entry, String host, boolean withKeys) {
        LockEvent.OfLock event = entry.event();
        LockHolder forced = event instanceof LockEvent.ForceReleased released ? released.holder() : null;
        return new Event(
                entry.type(),
                LocksDescriptors.text(entry.time()),
                LocksDescriptors.key(event.key(), withKeys),
                id(event.key()),
                event instanceof LockEvent.Lost lost ? lost.cause().name() : null,
                forced == null ? null : forced.thread(),
                forced == null ? host : forced.host(),
                entry.fencingToken());
    }

    /** Identifies a key that must not be shown: the ID does not reveal the key, and cannot be compared with that of another process. */
    private String id(LockKey key) {
        return HexFormat.of().formatHex(LocksPage.sha256(secret + key.value()), 0, ID_BYTES);
    }
}
