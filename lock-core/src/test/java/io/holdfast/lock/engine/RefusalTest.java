package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class RefusalTest extends ThreadsFixture {

    @Test
    void every_thread_of_a_client_is_told_which_other_client_has_the_lock() {
        LockHandle held = others.acquire(KEY);
        LockRequest impatient = LockRequest.of(KEY).waitFor(Duration.ofSeconds(5));
        List<Future<LockHandle>> line =
                List.of(waiting(locks, impatient), waiting(locks, impatient), waiting(locks, impatient));

        time.pass(Duration.ofSeconds(6));

        for (Future<LockHandle> refused : line) {
            assertThat(failure(refused))
                    .isInstanceOfSatisfying(
                            LockNotAcquiredException.class,
                            e -> assertThat(e.holder())
                                    .hasValueSatisfying(holder ->
                                            assertThat(holder.fencingToken()).isEqualTo(held.fencingToken())));
        }
    }
}
