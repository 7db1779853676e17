package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.StoreSpy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CleanupTest {

    private static final LockKey KEY = LockKey.of("order:42");
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final StoreSpy store = new StoreSpy(new InMemoryLockStore());
    private final Cleanup cleanup = new Cleanup(store);

    private static OwnerId owner(long sequence) {
        return new OwnerId("client", sequence);
    }

    /** Else a store that hangs for long would be asked, one command timeout each, for all that has ended meanwhile. */
    @Test
    void what_has_ended_by_itself_while_the_store_hung_is_not_tidied_any_more() throws Exception {
        CountDownLatch hanging = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        store.before = () -> {
            hanging.countDown();
            await(answer);
        };
        cleanup.undo(KEY, owner(1), MINUTE);
        hanging.await();
        cleanup.undo(KEY, owner(2), 1);
        cleanup.undo(KEY, owner(3), MINUTE);

        answer.countDown();
        cleanup.close();

        assertThat(store.leaves).containsExactly(owner(1), owner(3));
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
