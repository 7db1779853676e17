package io.holdfast.lock.spring.result;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockedCallable;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.core.publisher.Sinks;

/**
 * What the caller of a locked reactive method gets: a publisher of the same type. On each subscription it acquires the lock on
 * another thread, then calls the method there and subscribes to what that returns, and the publisher ends after the lock has been
 * released. Without a subscription nothing happens; a second one acquires the lock and calls the method again.
 *
 * <pre>
 *   subscribe ─→ acquire ─→ method ─→ its publisher ─→ release ─→ complete, error
 *                   │                     ├─ lock lost: cancel it ─→ LockLostException
 *                   └─ refused            └─ cancelled: release
 * </pre>
 *
 * <p>Values of a stream are passed on as they arrive. A single value is kept until the lock is released, since it is the result:
 * its receiver may acquire the lock, and never sees the value if the lock was lost.
 *
 * @param call can continue at any later time
 * @param type the return type of the method
 * @param threads notifies the subscriber if a lock thread cannot
 */
public record PublisherLock(LockedCall call, Class<?> type, Executor threads) {

    private static final ReactiveAdapterRegistry ADAPTERS = ReactiveAdapterRegistry.getSharedInstance();

    /** {@return the publisher for the caller} */
    public Object locked() {
        ReactiveAdapter adapter = Objects.requireNonNull(ADAPTERS.getAdapter(type));
        Flux<Object> stream =
                Flux.defer(() -> Mono.create(new Session()::acquire).flatMapMany(Function.identity()));
        return adapter.fromPublisher(adapter.isMultiValue() ? stream : stream.singleOrEmpty());
    }

    /**
     * Advice further inside, such as a cache, may return a result in place of the method: the value itself, null, or another
     * form of it.
     */
    private static Publisher<Object> published(LockedCallable<@Nullable Object, Throwable> method) {
        try {
            Object result = method.call();
            ReactiveAdapter own = result == null ? null : ADAPTERS.getAdapter(null, result);
            return own == null ? Mono.justOrEmpty(result) : own.toPublisher(result);
        } catch (Throwable failure) {
            return Mono.error(failure);
        }
    }

    /**
     * The lock of one subscription. It always belongs to the lock client, which holds it until {@link #end} is complete; so
     * even a lock that is granted just as the subscriber cancels is always released.
     */
    private final class Session {

        private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();
        private final CompletableFuture<@Nullable Void> released = new CompletableFuture<>();
        private final Sinks.Empty<Object> lost = Sinks.empty();
        private final Thread subscriber = Thread.currentThread();
        private volatile boolean granted;

        /**
         * Acquires on another thread, and emits there while that thread has the lock: the work, or the result of a refusal.
         * Cancelling ends the wait.
         */
        private void acquire(MonoSink<Publisher<Object>> sink) {
            // A loss cancels the subscription in any case; see underLock.
            LockRequest request = call.request().interruptOnLoss(false);
            CompletableFuture<@Nullable Void> holding;
            try {
                holding = SubscriberObservation.call(
                        sink.contextView(),
                        () -> call.template().<@Nullable Void>executeAsync(request, lock -> granted(lock, sink)));
                if (holding == null) { // by a mock without stubs
                    throw LockedCall.notCalled("executeAsync", "returned null");
                }
            } catch (RuntimeException | Error failure) {
                endElsewhere(failure, sink);
                return;
            }
            var unused = holding.whenComplete((nothing, failure) -> endElsewhere(failure, sink));
            sink.onCancel(() -> {
                end.complete(null);
                holding.cancel(true);
            });
        }

        private CompletionStage<@Nullable Void> granted(LockHandle lock, MonoSink<Publisher<Object>> sink) {
            granted = true;
            if (!call.toleratesLoss()) {
                lock.onLost(loss -> threads.execute(lost::tryEmitEmpty));
            }
            sink.success(underLock(lock));
            return end;
        }

        /**
         * What follows must not run on the subscriber's thread, which calls this if the acquisition cannot start, or if everything
         * has ended before the callback was added.
         */
        private void endElsewhere(@Nullable Throwable failure, MonoSink<Publisher<Object>> sink) {
            Executor executor = Thread.currentThread() == subscriber ? threads : Runnable::run;
            executor.execute(() -> ended(failure, sink));
        }

        @SuppressWarnings("NullAway") // refused() may return null
        private void ended(@Nullable Throwable failure, MonoSink<Publisher<Object>> sink) {
            if (!granted) {
                Throwable reason = failure == null
                        ? LockedCall.notCalled("executeAsync", "completed without calling the work")
                        : failure;
                sink.success(Flux.defer(() -> published(() -> call.refused(reason))));
            }
            LockedCall.complete(released, null, failure);
        }

        /** Cancelled or not, the end of the work is the end of the lock. */
        @SuppressWarnings("NullAway") // the method may return null
        private Flux<Object> underLock(LockHandle lock) {
            return Flux.defer(() -> published(() -> call.runElsewhere(
                            lock, call.invocation().getArguments().clone())))
                    .doFinally(signal -> end.complete(null))
                    .takeUntilOther(lost.asMono())
                    .onErrorResume(this::release)
                    .concatWith(Mono.defer(() -> release(null)));
        }

        /**
         * Releases the lock, and completes after that. Adds the callback first, so that it runs on the thread that released the
         * lock, not on the one that ended the work.
         */
        private Mono<Object> release(@Nullable Throwable own) {
            return Mono.create(sink -> {
                var unused = released.whenComplete((nothing, failure) -> {
                    Throwable outcome = call.outcome(own, failure);
                    if (outcome == null) {
                        sink.success();
                    } else {
                        sink.error(outcome);
                    }
                });
                end.complete(null);
            });
        }
    }
}
