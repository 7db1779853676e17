package io.holdfast.lock.sample.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.sample.SampleInstance;
import io.holdfast.lock.testing.NewThread;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Two instances, each of which holds a lock that the other one waits for. */
abstract class DeadlockScene extends BrowserTest {

    static final String FIRST = "order:41";
    static final String SECOND = "order:42";

    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final Duration LONG_WAIT = Duration.ofMinutes(10);
    private static final int MAX_ROUNDS = 5;

    private final CountDownLatch bothHold = new CountDownLatch(2);
    private final CompletableFuture<Void> seen = new CompletableFuture<>();
    private final Exchanger<Round> rounds = new Exchanger<>();

    /** One wait in vain, and whether the deadlock had been seen by its end. */
    private record Round(LockNotAcquiredException refusal, boolean seen) {

        private boolean isGood(Round other) {
            return seen && other.seen && isNamed() && other.isNamed();
        }

        private boolean isNamed() {
            return refusal.deadlock().isPresent();
        }
    }

    private void awaitBoth() {
        bothHold.countDown();
        try {
            bothHold.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Neither gives up its lock before the wait of the other one has ended too. If a second passed between these ends, the later
     * one is not told of the deadlock, so both wait again.
     */
    private LockNotAcquiredException waitInVain(SampleInstance by, String holds, String wants) {
        LockTemplate locks = by.bean(LockTemplate.class);
        Thread.currentThread().setName("worker-" + holds);
        try (LockHandle held = locks.acquire(holds)) {
            awaitBoth();
            for (int round = 1; ; round++) {
                Round mine = new Round(refusal(locks, wants), seen.isDone());
                if (mine.isGood(exchanged(mine)) || round == MAX_ROUNDS) {
                    held.ensureHeld();
                    return mine.refusal();
                }
            }
        }
    }

    private static LockNotAcquiredException refusal(LockTemplate locks, String key) {
        try (LockHandle handle = locks.acquire(LockRequest.of(key).waitFor(WAIT))) {
            throw new AssertionError("There was no deadlock: " + handle);
        } catch (LockNotAcquiredException e) {
            return e;
        }
    }

    private Round exchanged(Round mine) {
        try {
            return rounds.exchange(mine, 5, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new IllegalStateException("The other instance has stopped waiting", e);
        }
    }

    /** What each of two waits for, and holds, on the endpoint of this instance. */
    private static Map<String, String> deadlock(SampleInstance by) {
        JsonNode waits = Awaitility.await()
                .until(() -> deadlocks(by), found -> found.size() == 1)
                .get(0)
                .get("waits");
        Map<String, String> cycle = new HashMap<>();
        waits.forEach(wait -> cycle.put(
                wait.get("key").asString(), wait.get("holds").get(0).get("key").asString()));
        assertThat(waits.get(0).get("clientId")).isNotEqualTo(waits.get(1).get("clientId"));
        return cycle;
    }

    private static JsonNode deadlocks(SampleInstance by) {
        return by.get("/actuator/locks?scope=all").json().get("deadlocks");
    }

    private static void assertShown(Page page) {
        assertThat(page.locator(".deadlock h2")).containsText("Deadlock of 2 threads");
        assertThat(page.locator(".deadlock li", text("holds " + FIRST + " and waits for " + SECOND)))
                .hasCount(1);
        assertThat(page.locator(".deadlock li", text("holds " + SECOND + " and waits for " + FIRST)))
                .hasCount(1);
        assertThat(page.locator(".row.deadlocked")).hasCount(2);
        assertThat(page).hasTitle("(1) Deadlock – Locks");
    }

    private static void assertOver(Page page) {
        assertThat(page.locator(".deadlock")).hasCount(0);
        assertThat(page.locator(".row.deadlocked")).hasCount(0);
        assertThat(page).hasTitle("Locks");
        Awaitility.await().until(() -> deadlocks(one).isEmpty() && deadlocks(two).isEmpty());
    }

    private static void assertNamed(LockNotAcquiredException refusal) {
        assertThat(refusal.deadlock().orElseThrow().waits())
                .extracting(NestedWait::key)
                .extracting(Object::toString)
                .containsExactlyInAnyOrder(FIRST, SECOND);
        assertThat(refusal).hasMessageContaining("deadlock").hasMessageContaining(FIRST).hasMessageContaining(SECOND);
    }

    @Test
    void deadlock_is_shown_until_the_waits_end_with_exceptions_that_name_it() {
        Page page = openLocks(two, 1360, ColorScheme.LIGHT);
        var ofOne = NewThread.start(() -> waitInVain(one, FIRST, SECOND));
        var ofTwo = NewThread.start(() -> waitInVain(two, SECOND, FIRST));

        assertShown(page);
        assertThat(deadlock(one)).isEqualTo(Map.of(FIRST, SECOND, SECOND, FIRST));
        assertThat(deadlock(two)).isEqualTo(Map.of(FIRST, SECOND, SECOND, FIRST));
        seen.complete(null);

        assertNamed(ofOne.join());
        assertNamed(ofTwo.join());
        assertOver(page);
    }

    /** Returns whether its first lock was lost. */
    private boolean getsBoth(SampleInstance by, String holds, String wants) {
        LockTemplate locks = by.bean(LockTemplate.class);
        Thread.currentThread().setName("worker-" + holds);
        try (LockHandle held = locks.acquire(holds)) {
            awaitBoth();
            locks.acquire(LockRequest.of(wants).waitFor(LONG_WAIT)).close();
            return !held.isHeld();
        } catch (LockLostException e) {
            return true;
        }
    }

    @Test
    void forced_release_on_the_page_ends_a_deadlock() throws IOException {
        var ofOne = NewThread.start(() -> getsBoth(one, FIRST, SECOND));
        var ofTwo = NewThread.start(() -> getsBoth(two, SECOND, FIRST));
        Page page = openLocks(one, 1360, ColorScheme.LIGHT);
        assertShown(page);
        Looks.check(page, "deadlock" + picture());

        page.locator(".row", text(SECOND)).first().click();
        page.locator("#ask").click();
        assertThat(page.locator("#question")).containsText("The first of 1 waiter acquires it");
        page.locator("#release").click();

        assertThat(ofOne.join()).isFalse();
        assertThat(ofTwo.join()).isTrue();
        assertOver(page);
    }

    /** What the names of its pictures end with. */
    abstract String picture();
}
