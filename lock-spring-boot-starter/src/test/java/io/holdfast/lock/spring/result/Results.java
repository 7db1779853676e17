package io.holdfast.lock.spring.result;

import static org.awaitility.Awaitility.await;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.store.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Locked methods with results of all kinds, each of which runs the work that it is given. All lock one key. */
class Results {

    static final String KEY = "result";

    @DistributedLock(key = "'result'", waitFor = 0)
    public Mono<String> mono(Supplier<Mono<String>> work) {
        return work.get();
    }

    @DistributedLock(key = "'result'", waitFor = 60)
    public Mono<String> waitingMono(Supplier<Mono<String>> work) {
        return work.get();
    }

    @DistributedLock(key = "'result'", waitFor = 0, onContention = OnContention.SKIP)
    public Mono<String> skippingMono(Supplier<Mono<String>> work) {
        return work.get();
    }

    @DistributedLock(key = "'result'", waitFor = 0)
    public Flux<Integer> flux(Supplier<Flux<Integer>> work) {
        return work.get();
    }

    @DistributedLock(key = "'result'", waitFor = 0, onContention = OnContention.SKIP)
    public Flux<Integer> skippingFlux(Supplier<Flux<Integer>> work) {
        return work.get();
    }

    @DistributedLock(key = "'result'", waitFor = 60)
    public CompletableFuture<String> stage(Supplier<CompletableFuture<String>> work) {
        return work.get();
    }

    @DistributedLock(key = "'result'", waitFor = 0)
    public CompletableFuture<String> impatientStage(Supplier<CompletableFuture<String>> work) {
        return work.get();
    }

    @DistributedLock(key = "'result'", waitFor = 0, onContention = OnContention.SKIP)
    public CompletableFuture<String> skippingStage(Supplier<CompletableFuture<String>> work) {
        return work.get();
    }

    @DistributedLock(key = "'result'", waitFor = 0)
    public Future<String> future(Supplier<Future<String>> work) {
        return work.get();
    }

    @DistributedLock(key = "'result'", waitFor = 0, onContention = OnContention.SKIP)
    public Future<String> skippingFuture(Supplier<Future<String>> work) {
        return work.get();
    }

    interface Body {
        void run(World world) throws Exception;
    }

    /**
     * An application.
     *
     * @param locks its locks
     * @param others another client of the same store
     */
    record World(Results service, LockTemplate locks, LockTemplate others) {

        boolean isHeld() {
            return others.inspect(KEY).holder().isPresent();
        }

        void awaitHeld() {
            await().until(this::isHeld);
        }

        void awaitFree() {
            await().until(() -> !isHeld());
        }

        void awaitWaiter() {
            await().until(() -> others.inspect(KEY).waiters() > 0);
        }

        /** Held by somebody else. */
        LockHandle taken() {
            return others.acquire(KEY);
        }
    }

    static void inMemory(Body body) {
        in(Runners.inMemory(), body);
    }

    static void in(ApplicationContextRunner application, Body body) {
        application.withBean(Results.class).run(context -> {
            try (LockEngine others =
                    LockEngine.builder(context.getBean(LockStore.class)).build()) {
                body.run(new World(context.getBean(Results.class), context.getBean(LockTemplate.class), others));
            }
        });
    }
}
