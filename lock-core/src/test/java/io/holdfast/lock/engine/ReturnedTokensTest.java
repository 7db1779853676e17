package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockInterruptedException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A block of tokens that was not used up is given back, however the hold ends. Else the next token would be ahead of the
 * store's clock, and could be repeated should the store lose its data.
 */
@Timeout(120)
class ReturnedTokensTest extends ThreadsFixture {

    /** Granted with a block of tokens, since somebody stood behind when it was asked for, who has given up since. */
    private LockHandle acquiredWithABlock() {
        LockHandle former = locks.acquire(REQUEST);
        Future<LockHandle> front = waiting(locks, REQUEST);
        Worker follower = worker();
        Future<LockHandle> next = waiting(follower, locks, REQUEST);
        former.close();
        LockHandle handle = get(front);
        follower.interrupt();
        assertThat(failure(next)).isInstanceOf(LockInterruptedException.class);
        return handle;
    }

    private void assertNextTokenIsNotAhead(LockHandle handle) {
        eventually(this::isFree);
        passMicro();
        LockHandle next = thirds.acquire(KEY);
        assertThat(next.fencingToken() - handle.fencingToken()).isBetween(1L, 10L);
    }

    @Test
    void release_that_is_repeated_in_the_background_gives_back_unused_tokens() {
        LockHandle handle = acquiredWithABlock();
        store.reachable(false);
        handle.close();
        store.reachable(true);

        assertNextTokenIsNotAhead(handle);
    }

    @Test
    void release_at_close_of_the_client_gives_back_unused_tokens() {
        LockHandle handle = acquiredWithABlock();
        locks.close();

        assertNextTokenIsNotAhead(handle);
    }
}
