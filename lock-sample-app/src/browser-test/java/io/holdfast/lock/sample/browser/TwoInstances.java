package io.holdfast.lock.sample.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.sample.SampleInstance;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** What the page has to show of two instances: holds, shared holds, waiters, a nested wait, and a lock that was released by force. */
final class TwoInstances implements AutoCloseable {

    private final List<LockHandle> held = new ArrayList<>();
    private final List<CompletableFuture<?>> waiting = new ArrayList<>();

    private TwoInstances() {}

    /** @param page sees what was held before */
    static TwoInstances begin(SampleInstance one, SampleInstance two, Page page) {
        TwoInstances all = new TwoInstances();
        LockHandle former = two.bean(LockTemplate.class).acquire("invoice:44");
        LockHandle lost = one.bean(LockTemplate.class).acquire("invoice:48");
        assertThat(page.locator(".row", BrowserTest.text("invoice:48"))).hasCount(1);
        former.close();
        one.bean(LockTemplate.class).forceRelease("invoice:48");
        assertThat(page.locator(".row.gone", BrowserTest.text("invoice:4"))).hasCount(2);
        closeLost(lost);
        all.hold(one, LockRequest.of("nightly-report"));
        all.hold(one, LockRequest.of("invoice:43"));
        all.hold(two, LockRequest.of("stock:46"));
        for (SampleInstance instance : List.of(one, two, two)) {
            all.hold(instance, LockRequest.of("mail-gateway").shared(5));
        }
        all.waitFor(two, "order:47", "invoice:43");
        all.waitFor(one, "stock:46");
        all.waitFor(two, "stock:46");
        return all;
    }

    private static void closeLost(LockHandle lost) {
        try {
            lost.close();
        } catch (LockLostException e) {
            return;
        }
        throw new AssertionError("The lock was released by force, but not lost");
    }

    /** On a thread of its own, since a thread that holds a lock would acquire it again. */
    private void hold(SampleInstance by, LockRequest request) {
        held.add(NewThread.call(() -> {
            Thread.currentThread().setName("worker-" + held.size());
            return by.bean(LockTemplate.class).acquire(request).detach();
        }));
    }

    /** Holds all but the last one, and waits for that. */
    private void waitFor(SampleInstance by, String... keys) {
        waiting.add(NewThread.start(() -> {
            Thread.currentThread().setName("scheduling-" + keys.length);
            acquireAll(by.bean(LockTemplate.class), List.of(keys));
            return keys;
        }));
    }

    private static void acquireAll(LockTemplate locks, List<String> keys) {
        if (!keys.isEmpty()) {
            try (LockHandle handle = locks.acquire(LockRequest.of(keys.get(0)).waitFor(Duration.ofMinutes(10)))) {
                acquireAll(locks, keys.subList(1, keys.size()));
                handle.ensureHeld();
            }
        }
    }

    @Override
    public void close() {
        held.forEach(LockHandle::close);
        waiting.forEach(CompletableFuture::join);
    }
}
