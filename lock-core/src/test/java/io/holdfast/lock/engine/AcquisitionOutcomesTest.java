package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.RemoteLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the form of a call, and whatever becomes of it: each acquisition that begins ends once, with one event. */
class AcquisitionOutcomesTest extends EngineFixture {

    private static final String ANOTHER = "order:43";
    private static final LockRequest ONE = LockRequest.of(KEY);
    private static final LockRequest BOTH = LockRequest.ofAll(List.of(KEY, ANOTHER));

    private interface Form {
        void call(LockEngine locks, LockRequest request) throws Exception;
    }

    private static final Map<String, Form> FORMS = Map.of(
            "execute", (locks, request) -> locks.execute(request, () -> {}),
            "tryExecute", (locks, request) -> locks.tryExecute(request, () -> {}),
            "acquire", (locks, request) -> locks.acquire(request).close(),
            "tryAcquire", (locks, request) -> locks.tryAcquire(request).ifPresent(LockHandle::close),
            "executeAsync",
                    (locks, request) -> locks.executeAsync(request, () -> CompletableFuture.completedFuture(1))
                            .join(),
            "lock", (locks, request) -> unlocked(locks.getLock(request), RemoteLock::lock),
            "lockInterruptibly", (locks, request) -> unlocked(locks.getLock(request), RemoteLock::lockInterruptibly),
            "tryLock", (locks, request) -> unlocked(locks.getLock(request), RemoteLock::tryLock),
            "tryLock in time",
                    (locks, request) ->
                            unlocked(locks.getLock(request), lock -> lock.tryLock(20, TimeUnit.MILLISECONDS)));

    private interface Locking {
        void lock(RemoteLock lock) throws Exception;
    }

    private static void unlocked(RemoteLock lock, Locking how) throws Exception {
        how.lock(lock);
        if (lock.isHeldByCurrentThread()) {
            lock.unlock();
        }
    }

    private enum Course {
        FREE,
        HELD,
        HELD_BY_A_SIBLING,
        STORE_FAILS,
        STORE_BREAKS,
        REFUSED_IN_LINE,
        INTERRUPTED,
        CLOSED_MEANWHILE
    }

    private final Map<Object, List<LockEvent.OfLock>> outcomes = Collections.synchronizedMap(new IdentityHashMap<>());
    private final List<LockEvent> published = Collections.synchronizedList(new ArrayList<>());
    private final LockEngine watched = engine(new LockListener() {
        @Override
        public AcquisitionObserver onAcquire(LockKey key, String name) {
            if (!name.equals("watched")) {
                return AcquisitionObserver.UNOBSERVED;
            }
            Object begun = new Object();
            outcomes.put(begun, Collections.synchronizedList(new ArrayList<>()));
            return outcome -> outcomes.get(begun).add(outcome);
        }

        @Override
        public void onEvent(LockEvent event) {
            if (name(event).equals("watched")) {
                published.add(event);
            }
        }
    });

    /** Of an outcome; that of other events does not matter. */
    private static String name(LockEvent event) {
        if (event instanceof LockEvent.Acquired acquired) {
            return acquired.name();
        }
        if (event instanceof LockEvent.NotAcquired refused) {
            return refused.name();
        }
        return event instanceof LockEvent.Failed failed ? failed.name() : "";
    }

    @AfterEach
    void closeWatched() {
        watched.close();
    }

    static Stream<Arguments> all() {
        return FORMS.keySet().stream()
                .sorted()
                .flatMap(form -> EnumSet.allOf(Course.class).stream()
                        .flatMap(course -> Stream.of(false, true)
                                .filter(both -> isPossible(form, course))
                                .map(both -> Arguments.of(form, course, both))));
    }

    /** Waits forever do not end; a task has no thread that an interrupt could reach. */
    private static boolean isPossible(String form, Course course) {
        boolean endless = form.equals("lock") || form.equals("lockInterruptibly");
        boolean held = Set.of(Course.HELD, Course.HELD_BY_A_SIBLING).contains(course);
        return !(endless && held) && !(course == Course.INTERRUPTED && form.equals("executeAsync"));
    }

    @ParameterizedTest(name = "{0}, {1}, several keys: {2}")
    @MethodSource("all")
    void each_acquisition_that_begins_ends_once(String form, Course course, boolean both) {
        Duration wait = form.startsWith("try") ? Duration.ZERO : Duration.ofMillis(20);
        LockRequest request = (both ? BOTH : ONE).name("watched").waitFor(wait);
        CompletableFuture<Object> sibling = new CompletableFuture<>();
        switch (course) {
            case FREE -> {}
            case HELD -> others.acquire(ONE);
            case HELD_BY_A_SIBLING -> watched.executeAsync(ONE, () -> sibling).isDone();
            case STORE_FAILS -> store.reachable(false);
            case STORE_BREAKS ->
                store.before = () -> {
                    throw new IllegalStateException("on purpose");
                };
            case REFUSED_IN_LINE -> {
                others.acquire(ONE);
                for (int i = 0; i < 2; i++) {
                    watched.executeAsync(ONE.waitFor(Duration.ofHours(1)), () -> sibling);
                }
                request = request.maxWaiting(1).waitFor(Duration.ofHours(1));
            }
            case INTERRUPTED ->
                store.beforeAcquire = () -> Thread.currentThread().interrupt();
            case CLOSED_MEANWHILE -> store.beforeAcquire = watched::close;
        }

        LockRequest asked = request;
        Throwable failure = catchThrowable(() -> FORMS.get(form).call(watched, asked));

        assertThat(Thread.interrupted() || failure != null || course != Course.CLOSED_MEANWHILE)
                .isTrue();
        assertThat(outcomes.values())
                .allSatisfy(reported -> assertThat(reported).hasSize(1));
        assertThat(published)
                .containsExactlyInAnyOrderElementsOf(
                        outcomes.values().stream().flatMap(List::stream).toList());
        if (course != Course.CLOSED_MEANWHILE && course != Course.INTERRUPTED) {
            assertThat(published).isNotEmpty();
        }
        sibling.complete(1);
    }
}
