package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.RenewReply;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.Requests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Random calls of a store for one lock: whoever waits keeps its entry, asks again, gives up, or is not heard of any more.
 * Each answer, and who holds the lock afterwards, is compared with a {@link QueueModel}. A failure names its seed and
 * its last steps.
 */
final class QueueSchedule {

    private static final int CLIENTS = 3;
    private static final int CROWD = 8;
    private static final int LAST_STEPS = 12;

    private final long seed;
    private final Random random;
    private final LockKey key;
    private final LockStore store;

    /** Null if time passes by itself; then the schedule is over before an entry or a lease is. */
    private final @Nullable FakeTicker time;

    private final QueueModel model = new QueueModel();
    private final Map<OwnerId, AcquireRequest> requests = new HashMap<>();
    private final List<OwnerId> cancelled = new ArrayList<>();
    private final Map<OwnerId, Long> tokens = new HashMap<>();
    private final List<String> log = new ArrayList<>();
    private long lastFencingToken;
    private long owners;
    private int handedOver;

    QueueSchedule(LockStore store, @Nullable FakeTicker time, long seed) {
        this.store = store;
        this.time = time;
        this.seed = seed;
        this.random = new Random(seed);
        this.key = LockKey.of("queue:" + UUID.randomUUID());
    }

    /** Returns how many of those who waited were granted the lock. */
    int run(int steps) {
        try {
            for (int step = 0; step < steps; step++) {
                step();
                compare();
            }
            end();
            return handedOver;
        } catch (AssertionError | RuntimeException e) {
            String last = String.join("\n", log.subList(Math.max(0, log.size() - LAST_STEPS), log.size()));
            throw new AssertionError("seed " + seed + " (-Dmodel.seed), step " + log.size() + ":\n" + last, e);
        }
    }

    private void step() {
        int choice = random.nextInt(time == null ? 84 : 100);
        if (choice < 22) {
            ask(requests.size() < CROWD ? newcomer() : anybody());
        } else if (choice < 38) {
            ask(anybody());
        } else if (choice < 54) {
            keepEntries();
        } else if (choice < 70) {
            release(anybody());
        } else if (choice < 75) {
            leave(anybody());
        } else if (choice < 78) {
            downgrade(anybody());
        } else if (choice < 82) {
            renew(anybody());
        } else if (choice < 83) {
            askAgainAfterCancellation();
        } else if (choice < 84) {
            force();
        } else {
            pass(Duration.ofMillis(random.nextInt(random.nextInt(4) == 0 ? 3_000 : 600)));
        }
    }

    /** Those who can be heard of: they hold the lock, or have an entry that is alive. Dead entries may go at any time. */
    private OwnerId anybody() {
        requests.keySet().removeIf(owner -> !isPresent(owner));
        List<OwnerId> present = new ArrayList<>(requests.keySet());
        present.sort(Comparator.comparing(OwnerId::sequence));
        return present.isEmpty() ? newcomer() : present.get(random.nextInt(present.size()));
    }

    private boolean isPresent(OwnerId owner) {
        QueueModel.Place place = model.waiter(owner);
        QueueModel.Holder holder = model.holder(owner);
        boolean lapsedButAlive = model.holders.stream()
                .anyMatch(one -> one.owner.equals(owner) && one.place != null && !model.isOver(one.place.aliveUntil));
        return holder != null || lapsedButAlive || (place != null && !model.isOver(place.aliveUntil));
    }

    private OwnerId newcomer() {
        OwnerId owner = new OwnerId("client" + random.nextInt(CLIENTS), ++owners);
        int[] limits = {AcquireRequest.EXCLUSIVE, 1, 2, 3, Integer.MAX_VALUE};
        int limit = limits[random.nextInt(limits.length)];
        long lease = time == null ? 600_000 : 500 + random.nextInt(10_000);
        long block = limit == AcquireRequest.EXCLUSIVE && random.nextBoolean() ? 1 + random.nextInt(100) : 1;
        HolderInfo where = new HolderInfo("host", 1, owner.toString());
        int weight = limit == 2 || limit == 3 ? 1 + random.nextInt(limit) : 1;
        requests.put(
                owner,
                new AcquireRequest(
                        key, owner, lease, where, limit, weight, random.nextInt(3) == 0, true, block, 0, false));
        return owner;
    }

    private void ask(OwnerId owner) {
        AcquireRequest asked = requests.get(owner);
        boolean waiting = random.nextInt(5) > 0;
        AcquireRequest request = new AcquireRequest(
                key,
                owner,
                asked.leaseMillis(),
                asked.holder(),
                asked.limit(),
                asked.weight(),
                asked.fair(),
                waiting,
                asked.tokens(),
                0,
                false);
        log("ask", request);
        AcquireReply reply = store.acquire(request);
        assertThat(answer(reply)).isEqualTo(model.acquire(request));
        if (reply instanceof AcquireReply.Granted granted) {
            assertThat(granted.token()).isEqualTo(tokensOfStore().get(owner));
            assertWaiters(granted.waiters());
        }
    }

    private static QueueModel.Answer answer(AcquireReply reply) {
        return reply instanceof AcquireReply.Granted
                ? QueueModel.Answer.GRANTED
                : reply instanceof AcquireReply.Held ? QueueModel.Answer.HELD : QueueModel.Answer.CANCELLED;
    }

    /** A store may count entries that died, or a fair one that has left, for a while. */
    private void assertWaiters(Waiters waiters) {
        List<QueueModel.Place> live = model.liveWaiters();
        if (live.stream().anyMatch(place -> place.request.fair())) {
            assertThat(waiters).isEqualTo(Waiters.FAIR);
        } else if (!live.isEmpty()) {
            assertThat(waiters).isNotEqualTo(Waiters.NONE);
        } else if (model.queue.isEmpty()) {
            assertThat(waiters).isEqualTo(Waiters.NONE);
        }
    }

    private void keepEntries() {
        anybody();
        List<OwnerId> kept = requests.keySet().stream()
                .filter(owner -> random.nextInt(4) > 0)
                .toList();
        log("keep", kept);
        EntryReply reply =
                store.keepEntries(List.of(Requests.entries(key, kept))).get(0);
        assertThat(((EntryReply.Kept) reply).called()).isEqualTo(model.keepEntries(kept));
    }

    private void release(OwnerId owner) {
        QueueModel.Holder holder = model.holder(owner);
        long block = holder != null && holder.exclusive ? holder.request.tokens() : 1;
        long last = block > 1 ? tokens.get(owner) + random.nextInt((int) block) : 0;
        log("release", owner + " last token " + last);
        ReleaseReply reply = store.release(new ReleaseRequest(
                key, owner, Duration.ZERO, last, ReleaseRequest.UNKNOWN_LEASE, AcquireRequest.EXCLUSIVE));
        assertThat(reply == ReleaseReply.RELEASED).isEqualTo(model.release(owner));
        if (last > 0) {
            assertThat(last).isLessThanOrEqualTo(lastFencingToken);
            lastFencingToken = last;
        }
    }

    private void leave(OwnerId owner) {
        Duration cancelledFor =
                random.nextBoolean() ? Duration.ZERO : Duration.ofSeconds(time == null ? 600 : 1 + random.nextInt(10));
        log("leave", owner + " " + cancelledFor);
        store.leave(key, owner, cancelledFor, ReleaseRequest.ALL_TOKENS);
        model.leave(owner, cancelledFor);
        if (!cancelledFor.isZero()) {
            cancelled.add(owner);
        }
    }

    /** A call that was on its way when its acquisition was undone. Whose entry is dead is not heard of again, see above. */
    private void askAgainAfterCancellation() {
        cancelled.removeIf(owner -> model.waiter(owner) != null && !isPresent(owner));
        if (!cancelled.isEmpty()) {
            OwnerId owner = cancelled.get(random.nextInt(cancelled.size()));
            HolderInfo where = new HolderInfo("host", 1, owner.toString());
            var request = new AcquireRequest(key, owner, 5_000, where, 2, 1, false, true, 1, 0, false);
            requests.put(owner, request);
            ask(owner);
        }
    }

    private void downgrade(OwnerId owner) {
        log("downgrade", owner);
        assertThat(store.downgrade(key, owner, ReleaseRequest.ALL_TOKENS) == ReleaseReply.RELEASED)
                .isEqualTo(model.downgrade(owner));
    }

    private void renew(OwnerId owner) {
        long lease = requests.get(owner).leaseMillis();
        log("renew", owner);
        RenewReply reply =
                store.renew(List.of(Requests.renewal(key, owner, lease))).get(0);
        assertThat(reply instanceof RenewReply.Renewed).isEqualTo(model.renew(owner, Duration.ofMillis(lease)));
    }

    private void force() {
        log("force", "");
        List<OwnerId> former =
                store.forceRelease(key).stream().map(QueueSchedule::owner).toList();
        assertThat(former).containsExactlyInAnyOrderElementsOf(model.force());
    }

    private void pass(Duration passed) {
        log("pass", passed);
        time.pass(passed);
        model.now = model.now.plus(passed);
    }

    private void log(String what, Object whom) {
        log.add(model.now + " " + what + " " + whom);
    }

    private Map<OwnerId, Long> tokensOfStore() {
        Map<OwnerId, Long> found = new HashMap<>();
        store.inspect(key).holders().forEach(holder -> found.put(owner(holder), holder.fencingToken()));
        return found;
    }

    private static OwnerId owner(LockHolder holder) {
        String[] parts = holder.thread().split(":", 2);
        return new OwnerId(parts[0], Long.parseLong(parts[1]));
    }

    private void compare() {
        LockStatus seen = store.inspect(key);
        assertThat(seen.waiters()).isEqualTo(model.liveWaiters().size());
        assertExclusion(seen.holders());
        Map<OwnerId, LockMode> modes = new HashMap<>();
        Map<OwnerId, Long> found = tokensOfStore();
        seen.holders().forEach(holder -> modes.put(owner(holder), holder.mode()));
        Map<OwnerId, LockMode> expected = new HashMap<>();
        for (QueueModel.Holder holder : model.liveHolders()) {
            expected.put(holder.owner, holder.exclusive ? LockMode.EXCLUSIVE : LockMode.SHARED);
        }
        assertThat(modes).isEqualTo(expected);
        long together = QueueModel.weight(model.liveHolders()) - QueueModel.weight(model.granted);
        for (QueueModel.Holder holder : model.granted) {
            together += holder.request.weight();
            assertGrant(holder, found, together);
        }
        model.granted.clear();
        assertThat(seen.lastFencingToken()).isEqualTo(lastFencingToken);
        tokens.keySet().retainAll(found.keySet());
        assertThat(found).isEqualTo(tokens);
    }

    private static void assertExclusion(List<LockHolder> holders) {
        if (holders.stream().anyMatch(holder -> holder.mode() == LockMode.EXCLUSIVE)) {
            assertThat(holders).hasSize(1);
        }
    }

    private void assertGrant(QueueModel.Holder holder, Map<OwnerId, Long> found, long together) {
        AcquireRequest request = holder.request;
        assertThat(together).isLessThanOrEqualTo(request.isExclusive() ? 1 : request.limit());
        long token = found.get(holder.owner);
        assertThat(token).isGreaterThan(lastFencingToken);
        lastFencingToken = token + (request.isExclusive() ? request.tokens() : 1) - 1;
        tokens.put(holder.owner, token);
        if (holder.place != null) {
            handedOver++;
            Set<OwnerId> passed = new HashSet<>();
            model.liveWaiters().stream()
                    .filter(place -> place.arrival < holder.place.arrival && !place.lapsed)
                    .forEach(place -> passed.add(place.request.owner()));
            assertThat(passed).isEmpty();
        }
    }

    /** Nothing is left of those who are gone. */
    private void end() {
        if (time == null) {
            for (OwnerId owner : List.copyOf(requests.keySet())) {
                store.leave(key, owner, Duration.ZERO, ReleaseRequest.ALL_TOKENS);
                model.leave(owner, Duration.ZERO);
            }
        } else {
            pass(Duration.ofHours(1));
        }
        model.granted.clear();
        OwnerId last = newcomer();
        requests.put(
                last,
                new AcquireRequest(
                        key,
                        last,
                        1_000,
                        new HolderInfo("host", 1, last.toString()),
                        AcquireRequest.EXCLUSIVE,
                        1,
                        false,
                        false,
                        1,
                        0,
                        false));
        assertThat(store.acquire(requests.get(last))).isInstanceOf(AcquireReply.Granted.class);
        assertThat(store.inspect(key).waiters()).isZero();
        assertThat(store.inspect(key).holders()).hasSize(1);
    }
}
