package io.holdfast.lock.engine.hold;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockKey;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the current thread may reenter. */
class HeldLocksTest extends WatchdogFixture {

    @Test
    void what_a_thread_adopts_is_its_own_while_the_action_runs() {
        Map<LockKey, Hold> own = locks.ofCurrentThread();
        Map<LockKey, Hold> adopted = new HashMap<>();

        locks.adopt(adopted, () -> assertThat(locks.ofCurrentThread()).isSameAs(adopted));

        assertThat(locks.ofCurrentThread()).isSameAs(own);
    }
}
