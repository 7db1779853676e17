package io.holdfast.lock.spring.result;

import io.holdfast.lock.spring.result.LockSession.SessionException;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.springframework.core.ReactiveAdapter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What the caller of a locked reactive method gets: a publisher of the same type. At each subscription it acquires the
 * lock on another thread, then calls the method there and subscribes to what that returns, and it ends after the lock was
 * released. Without a subscription nothing happens; a second one calls the method again, under a lock of its own.
 *
 * <pre>
 *   subscribe ─→ acquire ─→ method ─→ its publisher ─→ release ─→ complete, error
 *                   │                     ├─ lock lost: cancel it ─→ LockLostException
 *                   └─ refused            └─ cancelled: release
 * </pre>
 *
 * <p>Values of a stream pass as they come. The value of a single is kept until the lock is released, since it is the
 * result: whoever sees it may acquire the lock, and never sees it if the lock was lost.
 */
final class PublisherLock {

    private final AsyncCall call;
    private final Executor threads;
    private final ReactiveAdapter adapter;

    PublisherLock(AsyncCall call, Executor threads) {
        this.call = call.kept();
        this.threads = threads;
        this.adapter = Objects.requireNonNull(ReactiveTypes.adapterOf(call.type()));
    }

    Object locked() {
        return adapter.fromPublisher(adapter.isMultiValue() ? stream() : single());
    }

    private Mono<Object> single() {
        return Mono.usingWhen(
                        LockSession.begin(call, threads),
                        session -> Mono.from(body(session)).takeUntilOther(session.lost()),
                        LockSession::release,
                        LockSession::releaseAfter,
                        LockSession::abandon)
                .onErrorResume(failure -> Mono.from(settled(failure)));
    }

    private Flux<Object> stream() {
        return Flux.usingWhen(
                        LockSession.begin(call, threads),
                        session -> Flux.from(body(session)).takeUntilOther(session.lost()),
                        LockSession::release,
                        LockSession::releaseAfter,
                        LockSession::abandon)
                .onErrorResume(this::settled);
    }

    private Publisher<Object> body(LockSession session) {
        try {
            return session.run().watched(published(call.runElsewhere(session.lock(), session.run())));
        } catch (Throwable failure) {
            return Mono.error(failure);
        }
    }

    /** Advice further inside, such as a cache, may answer for the method: with the value itself, null, or in another form. */
    private Publisher<Object> published(@Nullable Object result) {
        if (result == null) {
            return Mono.empty();
        }
        if (call.type().isInstance(result)) {
            return adapter.toPublisher(result);
        }
        ReactiveAdapter own = ReactiveTypes.adapterOf(result.getClass());
        return own == null ? Mono.fromCompletionStage(Stages.of(result, threads)) : own.toPublisher(result);
    }

    /** Reactor wraps what fails at the end of a session, with the failure of the work suppressed inside. */
    private Publisher<Object> settled(Throwable failure) {
        if (failure instanceof SessionException refused && !refused.hasBegun()) {
            return answer(refused.failure());
        }
        if (failure.getCause() instanceof SessionException ended && ended.hasBegun()) {
            for (Throwable own : failure.getSuppressed()) {
                ended.failure().addSuppressed(own);
            }
            return Mono.error(ended.failure());
        }
        return Mono.error(failure);
    }

    private Publisher<Object> answer(Throwable failure) {
        try {
            Object answer = call.rules().refused(failure);
            return published(answer);
        } catch (Throwable e) {
            return Mono.error(e);
        }
    }
}
