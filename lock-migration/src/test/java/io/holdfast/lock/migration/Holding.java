package io.holdfast.lock.migration;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Another thread that is inside the shop, and stays there until this is closed. */
public final class Holding implements AutoCloseable {

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final CompletableFuture<Void> inside = new CompletableFuture<>();
    private final CompletableFuture<Void> mayLeave = new CompletableFuture<>();
    private final CompletableFuture<Void> left;

    private Holding(Entrance entrance) {
        Shop shop = id -> {
            inside.complete(null);
            mayLeave.join();
        };
        left = CompletableFuture.runAsync(() -> enter(entrance, shop), thread);
    }

    /** What takes the lock and calls the shop. */
    @FunctionalInterface
    public interface Entrance {
        void enter(Shop shop) throws Exception;
    }

    /** Returns when the thread is inside. */
    public static Holding inside(Entrance entrance) {
        Holding holding = new Holding(entrance);
        CompletableFuture.anyOf(holding.inside, holding.left)
                .orTimeout(1, TimeUnit.MINUTES)
                .join();
        if (!holding.inside.isDone()) {
            holding.close();
            throw new IllegalStateException("Did not get in");
        }
        return holding;
    }

    private static void enter(Entrance entrance, Shop shop) {
        try {
            entrance.enter(shop);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        mayLeave.complete(null);
        try {
            left.orTimeout(1, TimeUnit.MINUTES).join();
        } finally {
            thread.shutdown();
        }
    }
}
