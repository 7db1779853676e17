package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.testing.FakeTicker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Random one-try acquisitions of one lock, releases, forced releases and ends of whole clients, one after the other, each
 * compared with a list of those who should hold it. A failure names its seed and step.
 */
final class SharingSchedule {

    private static final int CLIENTS = 3;
    private static final Duration LEASE = Duration.ofMinutes(10);

    /** What somebody was granted, and has not closed. */
    private static final class Granted {
        final int client;
        final LockHandle handle;
        final boolean exclusive;
        final Duration end;
        boolean revoked;

        Granted(int client, LockHandle handle, boolean exclusive, Duration end) {
            this.client = client;
            this.handle = handle;
            this.exclusive = exclusive;
            this.end = end;
        }
    }

    private final long seed = Long.getLong("model.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final String key = "sharing:" + seed;
    private final LockStore store;
    private final boolean releasesAreSentOnce;
    private final Ticker ticker;
    private final LockEngine[] clients = new LockEngine[CLIENTS];
    private final List<Granted> open = new ArrayList<>();
    private Duration now = Duration.ZERO;
    private long lastFencingToken;
    private int mostTogether;

    /** @param releasesAreSentOnce otherwise a release that finds no hold may be a repeated one, so it reveals no loss */
    SharingSchedule(LockStore store, Ticker ticker, boolean releasesAreSentOnce) {
        this.store = store;
        this.releasesAreSentOnce = releasesAreSentOnce;
        this.ticker = ticker;
        for (int i = 0; i < CLIENTS; i++) {
            clients[i] = newClient();
        }
    }

    private LockEngine newClient() {
        return LockEngine.builder(store).ticker(ticker).build();
    }

    /**
     * @param kind turns a request for the key into one of those that the schedule is made of
     */
    int run(int steps, Function<Random, Function<LockRequest, LockRequest>> kind) {
        try {
            for (int step = 0; step < steps; step++) {
                try {
                    step(kind);
                } catch (AssertionError | RuntimeException e) {
                    throw new AssertionError("seed " + seed + " (-Dmodel.seed), step " + step, e);
                }
            }
            return mostTogether;
        } finally {
            Stream.of(clients).forEach(LockEngine::close);
        }
    }

    private void step(Function<Random, Function<LockRequest, LockRequest>> kind) {
        int choice = random.nextInt(100);
        if (choice < 60) {
            tryOnce(random.nextInt(CLIENTS), kind.apply(random).apply(LockRequest.of(key)));
        } else if (choice < 94 && !open.isEmpty()) {
            close(open.remove(random.nextInt(open.size())));
        } else if (choice < 96) {
            force();
        } else if (choice < 97) {
            end(random.nextInt(CLIENTS));
        } else if (ticker instanceof FakeTicker time) {
            Duration passed = Duration.ofMinutes(1 + random.nextInt(3));
            time.pass(passed);
            now = now.plus(passed);
        }
        assertStoreAgrees();
    }

    private boolean isLive(Granted granted) {
        return !granted.revoked && granted.end.compareTo(now) > 0;
    }

    private List<Granted> holders() {
        return open.stream().filter(this::isLive).toList();
    }

    private void tryOnce(int client, LockRequest request) {
        boolean exclusive = request.mode() == LockMode.EXCLUSIVE;

        Optional<LockHandle> acquired =
                clients[client].tryAcquire(request.lease(LEASE).renew(false));

        assertThat(acquired.isPresent()).isEqualTo(mayHold(client, exclusive, request.limit()));
        acquired.map(LockHandle::detach).ifPresent(handle -> {
            assertThat(handle.fencingToken()).isGreaterThan(lastFencingToken);
            lastFencingToken = handle.fencingToken();
            open.add(new Granted(client, handle, exclusive, now.plus(LEASE)));
        });
    }

    /** One try does not ask the store while another thread of the client believes to have the lock alone. */
    private boolean mayHold(int client, boolean exclusive, int limit) {
        List<Granted> holders = holders();
        Predicate<Granted> believesToHoldAlone =
                granted -> granted.exclusive && granted.client == client && granted.handle.isHeld();
        boolean compatible = exclusive
                ? holders.isEmpty()
                : holders.size() < limit && holders.stream().noneMatch(h -> h.exclusive);
        return compatible && open.stream().noneMatch(believesToHoldAlone);
    }

    private void close(Granted granted) {
        boolean lost = !isLive(granted);

        Throwable failure = catchThrowable(granted.handle::close);

        if (!lost) {
            assertThat(failure).isNull();
        } else if (releasesAreSentOnce || failure != null) {
            assertThat(failure).isInstanceOf(LockLostException.class);
        }
        assertThat(granted.handle.isHeld()).isFalse();
    }

    private void force() {
        List<Granted> holders = holders();

        List<LockHolder> former = clients[random.nextInt(CLIENTS)].forceRelease(key);

        assertThat(tokens(former)).containsExactlyInAnyOrderElementsOf(tokensOf(holders));
        holders.forEach(granted -> granted.revoked = true);
    }

    private void end(int client) {
        clients[client].close();
        open.stream()
                .filter(granted -> granted.client == client)
                .forEach(granted -> assertThat(granted.handle.isHeld()).isFalse());
        open.removeIf(granted -> granted.client == client);
        clients[client] = newClient();
    }

    private void assertStoreAgrees() {
        List<Granted> holders = holders();
        assertThat(holders).allMatch(granted -> granted.handle.isHeld());
        assertThat(tokens(clients[0].inspect(key).holders())).containsExactlyInAnyOrderElementsOf(tokensOf(holders));
        assertThat(clients[0].inspect(key).waiters()).isZero();
        mostTogether = Math.max(mostTogether, holders.size());
    }

    private static List<Long> tokens(List<LockHolder> holders) {
        return holders.stream().map(LockHolder::fencingToken).toList();
    }

    private static List<Long> tokensOf(List<Granted> granted) {
        return granted.stream().map(one -> one.handle.fencingToken()).toList();
    }
}
