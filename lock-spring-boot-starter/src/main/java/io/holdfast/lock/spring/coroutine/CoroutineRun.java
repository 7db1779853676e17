package io.holdfast.lock.spring.coroutine;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.spring.annotation.LockContext;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import kotlin.Unit;
import kotlin.coroutines.AbstractCoroutineContextElement;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.CoroutineContext;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlin.coroutines.intrinsics.IntrinsicsKt;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CoroutineScopeKt;
import kotlinx.coroutines.CoroutineStart;
import kotlinx.coroutines.Job;
import kotlinx.coroutines.ThreadContextElement;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * One run of a suspend function. Spring runs it in a coroutine of its own, which it forgets as soon as the caller is cancelled,
 * while the function's {@code finally} block may go on for long. Two things keep both together:
 *
 * <ul>
 *   <li>The function's coroutine carries {@link CurrentLock}, which sees each coroutine before that runs on a thread. So the first
 *       one, which has no parent, is known before it does anything, and can be asked for its end. So are those of other beans with
 *       proxies that the function calls.
 *   <li>The caller's coroutine gets a child, which does nothing and ends after the release. So whoever joins the caller, or leaves
 *       {@code withTimeout}, goes on when the lock is free; nothing blocks.
 * </ul>
 */
final class CoroutineRun implements LockedRun {

    private final @Nullable Continuation<? super Unit> child;
    private final Set<Job> coroutines = ConcurrentHashMap.newKeySet();

    /** The coroutines, the subscriptions that are just being made and may begin one, and 1 until the end is asked for. */
    private final AtomicInteger going = new AtomicInteger(1);

    private final AtomicBoolean endAsked = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> end = new CompletableFuture<>();

    CoroutineRun(CoroutineContext caller) {
        Job job = caller.get(Job.Key);
        child = job == null ? null : childOf(job);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Continuation<? super Unit> childOf(Job caller) {
        Continuation[] suspended = new Continuation[1];
        BuildersKt.launch(
                CoroutineScopeKt.CoroutineScope(caller),
                EmptyCoroutineContext.INSTANCE,
                CoroutineStart.UNDISPATCHED,
                (scope, continuation) -> {
                    suspended[0] = continuation;
                    return IntrinsicsKt.getCOROUTINE_SUSPENDED();
                });
        return suspended[0];
    }

    @Override
    public @Nullable Object[] arguments(LockHandle lock, @Nullable Object[] given) {
        @Nullable Object[] changed = given.clone();
        int last = changed.length - 1;
        changed[last] = Coroutines.within(new CurrentLock(lock, this), changed[last]);
        return changed;
    }

    @Override
    public <T> Publisher<T> watched(Publisher<T> work) {
        return Mono.fromDirect(subscriber -> {
            going.incrementAndGet();
            try {
                work.subscribe(subscriber);
            } finally {
                gone();
            }
        });
    }

    @Override
    public CompletionStage<@Nullable Void> end() {
        if (endAsked.compareAndSet(false, true)) {
            gone();
        }
        return end;
    }

    private void gone() {
        if (going.decrementAndGet() == 0) {
            end.complete(null);
        }
    }

    /** A coroutine with a parent ends before that does. */
    private void seen(@Nullable Job coroutine) {
        if (coroutine != null && coroutine.getParent() == null && coroutines.add(coroutine)) {
            going.incrementAndGet();
            coroutine.invokeOnCompletion(cause -> {
                gone();
                return Unit.INSTANCE;
            });
        }
    }

    @Override
    public void released() {
        if (child != null) {
            child.resumeWith(Unit.INSTANCE);
        }
    }

    /** Makes the lock the current one on whichever thread the coroutine runs, while it runs there. */
    private static final class CurrentLock extends AbstractCoroutineContextElement
            implements ThreadContextElement<LockContext.Scope> {

        private static final class Key implements CoroutineContext.Key<CurrentLock> {}

        private static final Key KEY = new Key();

        private final LockHandle lock;
        private final CoroutineRun run;

        private CurrentLock(LockHandle lock, CoroutineRun run) {
            super(KEY);
            this.lock = lock;
            this.run = run;
        }

        @Override
        public LockContext.Scope updateThreadContext(CoroutineContext context) {
            run.seen(context.get(Job.Key));
            return LockContext.open(lock);
        }

        @Override
        public void restoreThreadContext(CoroutineContext context, LockContext.Scope scope) {
            scope.close();
        }
    }
}
