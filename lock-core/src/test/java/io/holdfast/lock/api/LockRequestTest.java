package io.holdfast.lock.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class LockRequestTest {

    private final LockRequest request = LockRequest.of("order:42");

    @Test
    void request_says_nothing_that_it_was_not_told() {
        assertThat(request.keys()).containsExactly(LockKey.of("order:42"));
        assertThat(request.name()).isEmpty();
        assertThat(request.mode()).isEqualTo(LockMode.EXCLUSIVE);
        assertThat(List.of(request.limit(), request.weight(), request.maxWaiting()))
                .containsExactly(1, 1, LockRequest.UNLIMITED);
        assertThat(List.of(
                        request.lease(),
                        request.waitFor(),
                        request.renew(),
                        request.minHold(),
                        request.maxHold(),
                        request.warnAfter(),
                        request.outageTolerance()))
                .containsOnly(Optional.empty());
        assertThat(request.fair() || request.interruptOnLoss()).isFalse();
    }

    @Test
    void each_setting_is_kept_and_leaves_the_others_alone() {
        LockRequest full = request.lease(Duration.ofSeconds(1))
                .waitFor(Duration.ofSeconds(2))
                .renew(false)
                .minHold(Duration.ofSeconds(3))
                .maxHold(Duration.ofSeconds(4))
                .warnAfter(Duration.ofSeconds(6))
                .outageTolerance(Duration.ofSeconds(5));

        assertThat(full.lease()).contains(Duration.ofSeconds(1));
        assertThat(full.waitFor()).contains(Duration.ofSeconds(2));
        assertThat(full.renew()).contains(false);
        assertThat(full.minHold()).contains(Duration.ofSeconds(3));
        assertThat(full.maxHold()).contains(Duration.ofSeconds(4));
        assertThat(full.warnAfter()).contains(Duration.ofSeconds(6));
        assertThat(full.outageTolerance()).contains(Duration.ofSeconds(5));
        assertThat(request.lease()).isEmpty();
    }

    @Test
    void equal_requests_look_equal_in_whatever_order_their_settings_came() {
        LockRequest one = request.waitFor(Duration.ofSeconds(2)).name("order").lease(Duration.ofSeconds(1));
        LockRequest other = request.lease(Duration.ofSeconds(1))
                .waitFor(Duration.ofSeconds(2))
                .name("order");

        assertThat(one).isEqualTo(other).hasSameHashCodeAs(other).hasToString(other.toString());
        assertThat(one.toString()).endsWith("{name=order, lease=PT1S, waitFor=PT2S}");
    }

    @Test
    void request_with_more_than_1000_keys_is_refused_however_it_was_made() {
        List<String> texts = IntStream.range(0, 1_001).mapToObj(String::valueOf).toList();
        LockRequest most = LockRequest.ofAll(texts.subList(0, 1_000));
        List<LockKey> keys = texts.stream().map(LockKey::of).toList();
        LockRequest twice = LockRequest.ofAll(Stream.concat(texts.stream(), texts.stream())
                .filter(text -> !text.equals("7"))
                .toList());

        assertThat(most.keys()).hasSize(LockRequest.MAX_KEYS);
        assertThat(twice.keys()).hasSize(LockRequest.MAX_KEYS);
        assertThat(List.<ThrowingCallable>of(
                        () -> LockRequest.ofAll(texts), () -> request.keys(keys), () -> most.and(request)))
                .allSatisfy(call -> assertThatThrownBy(call)
                        .isInstanceOf(LockKeyException.class)
                        .hasMessage("The lock request has 1001 keys; at most 1000 are allowed. Lock something that they"
                                + " have in common, such as their account."));
    }

    @Test
    void time_out_of_range_is_refused_by_name_value_and_what_is_allowed() {
        assertThatThrownBy(() -> request.lease(Duration.ofMillis(99)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lease is PT0.099S; it must be between 100 ms and 365 days");
        assertThatThrownBy(() -> request.waitFor(Duration.ofMillis(-1))).hasMessageContaining("waitFor");
        assertThatThrownBy(() -> request.minHold(Duration.ofDays(366))).hasMessageContaining("minHold");
        assertThatThrownBy(() -> request.outageTolerance(Duration.ofDays(366))).hasMessageContaining("outageTolerance");
        assertThatThrownBy(() -> request.maxHold(Duration.ZERO)).hasMessageContaining("maxHold");
        assertThatThrownBy(() -> request.warnAfter(Duration.ZERO)).hasMessageContaining("warnAfter");
    }

    @Test
    void every_loss_has_a_reason_that_says_what_to_do() {
        for (LossCause cause : LossCause.values()) {
            var loss = new LockEvent.Lost(request.key(), "", 7, Duration.ofSeconds(1), cause, null);

            assertThat(new LockLostException(loss))
                    .hasMessageStartingWith("Lock 'order:42' (fencing token 7) was lost after 1 s: ");
        }
    }

    @Test
    void several_keys_are_sorted_and_each_is_there_once() {
        assertThat(LockRequest.ofAll(List.of("b", "a", "c", "a")).keys())
                .containsExactly(LockKey.of("a"), LockKey.of("b"), LockKey.of("c"));
    }

    @Test
    void request_without_a_key_says_what_to_do() {
        assertThatThrownBy(() -> LockRequest.ofAll(List.of()))
                .isInstanceOf(LockKeyException.class)
                .hasMessageContaining("at least one");
    }

    @Test
    void key_that_could_become_another_lock_or_break_a_line_is_refused() {
        assertThat(LockKey.of("\uD83D\uDD12 {?}").value()).isEqualTo("\uD83D\uDD12 {?}");
        assertThat(LockKey.of("a\u202e\u00e9\u007f")).hasToString("a\\u202e\u00e9\\u007f");
        assertThatThrownBy(() -> LockKey.of("order:\uD83D")).hasMessageContaining("unpaired surrogate");
        assertThatThrownBy(() -> LockKey.of(" ")).hasMessageStartingWith("The lock key is blank. Name");
        assertThatThrownBy(() -> LockKey.of("\n" + "x".repeat(LockKey.MAX_LENGTH)))
                .isInstanceOf(LockKeyException.class)
                .hasMessage(
                        "The lock key has 16385 characters; at most 16384 are allowed. Use an identifier or a digest"
                                + " instead.");
    }

    @Test
    void limit_is_one_at_least_and_only_for_shared_requests() {
        assertThat(request.shared().limit()).isEqualTo(LockRequest.UNLIMITED);
        assertThat(request.shared(3).exclusive().limit()).isEqualTo(1);
        assertThatThrownBy(() -> request.shared(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit is 0");
    }

    @Test
    void keys_can_be_changed_and_all_else_stays() {
        LockRequest both =
                LockRequest.ofAll(List.of("a", "b")).shared(3).name("some").waitFor(Duration.ofSeconds(2));

        LockRequest changed = both.mapKeys(key -> "tenant/" + key);

        assertThat(changed)
                .isEqualTo(LockRequest.ofAll(List.of("tenant/a", "tenant/b"))
                        .shared(3)
                        .name("some")
                        .waitFor(Duration.ofSeconds(2)));
    }

    @Test
    void requests_are_equal_if_all_that_they_say_is() {
        LockRequest other = LockRequest.of("order:42").maxWaiting(3).interruptOnLoss(true);

        assertThat(request.maxWaiting(3).interruptOnLoss(true)).isEqualTo(other).hasSameHashCodeAs(other);
        assertThat(request.maxWaiting(4).interruptOnLoss(true)).isNotEqualTo(other);
        assertThat(request.maxWaiting(3)).isNotEqualTo(other);
        assertThat(request.shared(4).weight(2)).isNotEqualTo(request.shared(4));
        assertThat(other).asString().contains("order:42", "maxWaiting=3", "interruptOnLoss=true");
    }

    @Test
    void weight_is_a_part_of_the_limit() {
        assertThat(request.shared(4).weight(4).weight()).isEqualTo(4);
        assertThat(request.shared(4).weight(4).shared(3).weight()).isEqualTo(1);
        assertThatThrownBy(() -> request.shared(4).weight(5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("weight is 5; it must be between 1 and the limit, which is 4");
        assertThatThrownBy(() -> request.shared(4).weight(0)).hasMessageContaining("weight is 0");
        assertThatThrownBy(() -> request.shared().weight(2)).hasMessageContaining("call shared(limit) first");
        assertThatThrownBy(() -> request.weight(2)).hasMessageContaining("limit, which is 1 for mode EXCLUSIVE");
    }

    @Test
    void nobody_waits_in_a_line_of_none() {
        assertThatThrownBy(() -> request.maxWaiting(0)).hasMessageContaining("waitFor(Duration.ZERO)");
    }

    @Test
    void two_requests_are_one_in_which_each_key_keeps_its_mode() {
        LockRequest both = LockRequest.of("b")
                .lease(Duration.ofSeconds(7))
                .and(LockRequest.of("a").shared(5).weight(2).fair(true).lease(Duration.ofSeconds(9)));

        assertThat(both.keys()).containsExactly(LockKey.of("a"), LockKey.of("b"));
        assertThat(both.lease()).contains(Duration.ofSeconds(7));
        LockRequest lease = LockRequest.of("unused").lease(Duration.ofSeconds(7));
        assertThat(both.each())
                .containsExactly(
                        lease.keys(List.of(LockKey.of("a"))).shared(5).weight(2).fair(true),
                        lease.keys(List.of(LockKey.of("b"))));
    }

    @Test
    void key_that_two_requests_name_is_locked_once() {
        LockRequest reader = request.shared(5).weight(2);

        assertThat(reader.and(request)).isEqualTo(request);
        assertThat(request.and(reader)).isEqualTo(request);
        assertThat(request.and(reader.fair(true)).fair()).isTrue();
        assertThat(reader.and(reader.weight(3)).weight()).isEqualTo(3);
        assertThatThrownBy(() -> reader.and(request.shared(6)))
                .isInstanceOf(LockKeyException.class)
                .hasMessageContaining("order:42")
                .hasMessageContaining("5 and 6");
    }
}
