package io.holdfast.lock.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockResult.Executed;
import io.holdfast.lock.api.LockResult.NotAcquired;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LockResultTest {

    private static final LockKey KEY = LockKey.of("order:42");

    private final LockResult<String> ran = new Executed<>("done");
    private final LockResult<@Nullable String> ranToNull = new Executed<>(null);
    private final LockResult<@Nullable String> refused =
            new NotAcquired<>(KEY, Duration.ofSeconds(2), Optional.empty(), Blockage.UNKNOWN);

    @Test
    void result_of_work_that_ran_is_its_own() throws IOException {
        assertThat(ran.orElse("other")).isEqualTo("done");
        assertThat(ran.orElseGet(() -> "other")).isEqualTo("done");
        assertThat(ran.orElseThrow()).isEqualTo("done");
        assertThat(ran.orElseThrow(IOException::new)).isEqualTo("done");
        assertThat(ran.map(String::length)).isEqualTo(new Executed<>(4));
        assertThat(ran.toOptional()).contains("done");
    }

    @Test
    void result_of_null_is_no_refusal() throws IOException {
        assertThat(ranToNull.orElse("other")).isNull();
        assertThat(ranToNull.orElseGet(() -> "other")).isNull();
        assertThat(ranToNull.orElseThrow()).isNull();
        assertThat(ranToNull.orElseThrow(IOException::new)).isNull();
        assertThat(ranToNull.map(String::valueOf)).isEqualTo(new Executed<>("null"));
        assertThat(ran.map(text -> null)).isEqualTo(new Executed<>(null));
        assertThat(ranToNull.toOptional()).isEmpty();
    }

    @Test
    void work_that_did_not_run_has_a_result_from_elsewhere() {
        assertThat(refused.orElse("other")).isEqualTo("other");
        assertThat(refused.orElse(null)).isNull();
        assertThat(refused.orElseGet(() -> "other")).isEqualTo("other");
        assertThat(refused.map(String::length)).isEqualTo(refused);
        assertThat(refused.toOptional()).isEmpty();
    }

    @Test
    void work_that_did_not_run_is_the_exception_of_contention_or_one_of_the_caller() {
        assertThatThrownBy(refused::orElseThrow).isInstanceOfSatisfying(LockNotAcquiredException.class, e -> {
            assertThat(e.key()).isEqualTo(KEY);
            assertThat(e.waitedFor()).isEqualTo(Duration.ofSeconds(2));
        });
        assertThatThrownBy(() -> refused.orElseThrow(() -> new IOException("busy")))
                .isInstanceOf(IOException.class)
                .hasMessage("busy");
    }
}
