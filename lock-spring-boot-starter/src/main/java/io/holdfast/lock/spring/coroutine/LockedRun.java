package io.holdfast.lock.spring.coroutine;

import io.holdfast.lock.api.LockHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * One run of a locked method that returns a publisher. A publisher that was cancelled says nothing of its end; the coroutines of a
 * suspend function do, so its lock can be kept until they have ended.
 */
public interface LockedRun {

    /** Of a method that is no suspend function: nobody can tell more than its publisher. */
    LockedRun OF_PUBLISHER = new LockedRun() {
        @Override
        public @Nullable Object[] arguments(LockHandle lock, @Nullable Object[] given) {
            return given.clone();
        }

        @Override
        public <T> Publisher<T> watched(Publisher<T> work) {
            return work;
        }

        @Override
        public CompletionStage<@Nullable Void> end() {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void released() {}
    };

    /**
     * {@return what to call the method with}
     *
     * @param lock is held while the method runs
     * @param given the arguments of the call
     */
    @Nullable
    Object[] arguments(LockHandle lock, @Nullable Object[] given);

    /**
     * {@return the same work, watched from its subscription on}
     *
     * @param work what the method returned
     */
    <T> Publisher<T> watched(Publisher<T> work);

    /** {@return completes when nothing of this run goes on; to be asked for when the work is complete, or was cancelled} */
    CompletionStage<@Nullable Void> end();

    /** The lock was given back, or never acquired: the caller's coroutine, if it was cancelled, may end. */
    void released();
}
