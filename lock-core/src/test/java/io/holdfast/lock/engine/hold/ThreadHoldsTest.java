package io.holdfast.lock.engine.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the current thread may reenter. */
class ThreadHoldsTest {

    private final ThreadHolds holds = new ThreadHolds();

    @Test
    void what_a_thread_adopts_is_its_own_while_the_action_runs() {
        Map<LockKey, Hold> own = holds.ofCurrentThread();
        Map<LockKey, Hold> adopted = new HashMap<>();

        holds.adopt(adopted, () -> assertThat(holds.ofCurrentThread()).isSameAs(adopted));

        assertThat(holds.ofCurrentThread()).isSameAs(own);
    }
}
