package io.holdfast.lock.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** One candidate, with a template and threads that do what the test says. */
class CandidateTest {

    private final ScriptedLocks locks = new ScriptedLocks();
    private final ManualThreads background = new ManualThreads();
    private final LeaderElection election = new LeaderElection(locks.template, background);
    private final Leadership leadership = election.join("a");
    private final List<String> reported = new ArrayList<>();

    private void listen() {
        leadership.onElected(term -> reported.add("elected " + term.fencingToken()));
        leadership.onRevoked(term -> reported.add("revoked " + term.fencingToken()));
    }

    private void lead() {
        election.start();
        locks.last().grant();
    }

    @Test
    void candidate_waits_for_the_lock_of_its_role_for_ever_and_keeps_it() {
        election.start();
        LockRequest request = locks.last().request;
        assertThat(request.key().value()).isEqualTo("leader:a");
        assertThat(request.name()).isEqualTo("leader-a");
        assertThat(request.waitFor()).contains(LockRequest.MAX_TIME);
        assertThat(request.maxHold()).contains(LockRequest.MAX_TIME);
        assertThat(request.warnAfter()).contains(LockRequest.MAX_TIME);
        assertThat(request.renew()).contains(true);
        assertThat(request.lease()).isEmpty();
    }

    @Test
    void nothing_happens_before_the_start_and_a_second_one_changes_nothing() {
        assertThat(locks.calls).isEmpty();
        election.start();
        election.start();
        assertThat(locks.calls).hasSize(1);
        election.join("b");
        assertThat(locks.calls).hasSize(2);
    }

    @Test
    void listeners_are_added_to_a_role_before_it_is_a_candidate() {
        election.start();
        election.onJoined(role -> {
            reported.add("joined " + role.role());
            assertThat(locks.calls).hasSize(1);
        });
        election.join("b");
        assertThat(reported).containsExactly("joined b");
        assertThat(locks.calls).hasSize(2);
    }

    @Test
    void role_is_not_joined_if_an_action_for_it_fails() {
        AtomicBoolean failing = new AtomicBoolean(true);
        election.start();
        election.onJoined(role -> {
            if (failing.get()) {
                throw new IllegalStateException("no meters");
            }
        });
        assertThatIllegalStateException().isThrownBy(() -> election.join("b")).withMessage("no meters");
        assertThat(election.roles()).extracting(Leadership::role).containsExactly("a");
        failing.set(false);
        election.join("b");
        assertThat(locks.calls).hasSize(2);
    }

    @Test
    void role_that_is_not_joined_gives_up_what_a_start_in_the_meantime_has_begun() {
        election.onJoined(role -> {
            election.start();
            throw new IllegalStateException("no meters");
        });
        assertThatIllegalStateException().isThrownBy(() -> election.join("b"));
        assertThat(locks.last().request.key().value()).isEqualTo("leader:b");
        assertThat(locks.last().result).isCancelled();
    }

    @Test
    void granted_lock_is_a_term() {
        election.start();
        assertThat(leadership.isLeader()).isFalse();
        locks.last().grant();
        assertThat(leadership.isLeader()).isTrue();
        assertThat(leadership.term().map(Term::fencingToken)).contains(1L);
    }

    @Test
    void leader_past_its_deadline_leads_no_more_by_its_own_word_before_anybody_notices() {
        lead();
        locks.last().pass();
        assertThat(leadership.isLeader()).isFalse();
        assertThat(leadership.term()).isEmpty();
    }

    @Test
    void lost_term_is_told_and_given_back_at_once_and_another_one_is_waited_for() {
        listen();
        lead();
        locks.last().lose();
        assertThat(locks.last().released).isTrue();
        background.run();
        assertThat(reported).containsExactly("elected 1", "revoked 1");
        assertThat(locks.calls).hasSize(1);
        assertThat(background.pass()).isBetween(Duration.ofMillis(50), Duration.ofMillis(100));
        locks.last().grant();
        background.run();
        assertThat(reported).containsExactly("elected 1", "revoked 1", "elected 2");
    }

    @Test
    void one_who_resigns_leads_no_more_and_releases_the_lock_when_its_listeners_have_returned() {
        listen();
        lead();
        background.run();

        assertThat(leadership.resign()).isTrue();
        assertThat(leadership.isLeader()).isFalse();
        assertThat(locks.last().released).isFalse();
        assertThat(leadership.resign()).isFalse();

        background.run();
        assertThat(reported).containsExactly("elected 1", "revoked 1");
        assertThat(locks.last().released).isTrue();
    }

    @Test
    void one_who_resigns_lets_the_others_come_first() {
        lead();
        leadership.resign();
        background.run();
        assertThat(locks.calls).hasSize(1);
        assertThat(background.pass()).isBetween(Duration.ofMillis(500), Duration.ofSeconds(1));
        assertThat(locks.calls).hasSize(2);
    }

    @Test
    void one_who_does_not_lead_cannot_resign() {
        assertThat(leadership.resign()).isFalse();
        election.start();
        assertThat(leadership.resign()).isFalse();
        assertThat(locks.last().result).isNotDone();
    }

    @Test
    void listener_that_does_not_return_delays_the_release_for_a_while_only() {
        lead();
        leadership.resign();
        assertThat(locks.last().released).isFalse();
        ManualThreads.Due patience = background.due.get(0);
        assertThat(patience.after()).isEqualTo(Duration.ofSeconds(10));
        patience.action().run();
        assertThat(locks.last().released).isTrue();
    }

    @Test
    void loss_while_listeners_are_awaited_ends_the_wait_and_is_not_told_again() {
        listen();
        lead();
        leadership.resign();
        locks.last().lose();
        assertThat(locks.last().released).isTrue();
        background.run();
        assertThat(reported).containsExactly("elected 1", "revoked 1");
    }

    /** How a term may end; and what else may end it once more. */
    private enum End {
        LOSS,
        CALL_RETURNS,
        CALL_FAILS,
        RESIGNATION,
        STOP,
        CLOSE
    }

    private void end(End how, ScriptedLocks.Call term) {
        switch (how) {
            case LOSS -> term.lose();
            case CALL_RETURNS -> term.result.complete(null);
            case CALL_FAILS -> term.result.completeExceptionally(new LockStoreException("on purpose", null, false));
            case RESIGNATION -> leadership.resign();
            case STOP -> election.stop();
            case CLOSE -> {
                Thread.currentThread().interrupt(); // nobody runs the listeners meanwhile
                election.close();
                assertThat(Thread.interrupted()).isTrue();
            }
        }
    }

    private static Stream<Arguments> ends() {
        return Stream.of(End.values())
                .flatMap(first -> Stream.of(End.values()).map(second -> Arguments.of(first, second)));
    }

    @ParameterizedTest
    @MethodSource("ends")
    void term_that_ends_in_whatever_way_is_told_exactly_once_and_its_lock_is_given_back(End first, End second) {
        leadership.onRevoked(term -> {
            throw new IllegalStateException("on purpose");
        });
        listen();
        election.start();
        ScriptedLocks.Call term = locks.last();
        term.grant();
        background.run();

        end(first, term);
        assertThat(leadership.isLeader()).isFalse();
        end(second, term);
        background.run();

        assertThat(reported).containsExactly("elected 1", "revoked 1");
        assertThat(term.released).isTrue();
        assertThat(leadership.isLeader()).isFalse();
        assertThat(election.stop()).isDone();
    }

    @Test
    void stop_while_the_lock_is_being_asked_for_ends_the_wait() {
        locks.duringCall = () -> assertThat(election.stop()).isDone();
        election.start();
        assertThat(locks.last().result).isCancelled();
    }

    @Test
    void stop_of_a_term_that_begins_while_the_lock_is_being_asked_for_waits_for_the_listeners() {
        listen();
        locks.duringCall = () -> {
            locks.last().grant();
            election.stop();
        };
        election.start();
        assertThat(locks.last().released).isFalse();

        background.run();
        assertThat(reported).containsExactly("elected 1", "revoked 1");
        assertThat(locks.last().released).isTrue();
    }

    @Test
    void role_that_is_joined_after_a_stop_waits_for_the_next_start() {
        election.start();
        election.stop();
        election.join("b");
        assertThat(locks.calls).hasSize(1);
        election.start();
        assertThat(locks.calls).hasSize(3);
    }

    @ParameterizedTest
    @EnumSource(names = {"LOSS", "CALL_RETURNS", "CALL_FAILS", "RESIGNATION"})
    void next_term_of_the_same_candidacy_is_told_like_the_first(End how) {
        listen();
        lead();
        end(how, locks.last());
        background.run();

        background.pass();
        locks.last().grant();
        background.run();
        assertThat(leadership.isLeader()).isTrue();
        end(how, locks.last());
        background.run();

        assertThat(reported).containsExactly("elected 1", "revoked 1", "elected 2", "revoked 2");
    }

    @Test
    void listener_that_comes_late_is_told_of_the_current_term_once() {
        lead();
        listen();
        background.run();
        assertThat(reported).containsExactly("elected 1");
        locks.last().lose();
        listen();
        background.run();
        assertThat(reported).containsExactly("elected 1", "revoked 1");
    }

    @Test
    void listeners_are_called_one_at_a_time_in_the_order_of_events() {
        listen();
        lead();
        locks.last().lose();
        background.due.remove(0).action().run();
        assertThat(background.waiting).hasSize(1);
        background.run();
        assertThat(reported).containsExactly("elected 1", "revoked 1");
    }

    /** Found by a fault run: the thread that announces the term stood still, and another one resigned. */
    @Test
    void term_that_ends_while_its_beginning_is_announced_is_told_in_order() throws Exception {
        listen();
        CompletableFuture<Boolean> resigned = new CompletableFuture<>();
        race = new Candidate("a", locks.template, LockRequest.of("a"), background) {
            private Thread other;

            @Override
            CompletableFuture<Void> announce(Term term, List<Consumer<Term>> actions) {
                if (other == null) {
                    other = new Thread(() -> resigned.complete(race.resign()));
                    other.start();
                    awaitBlockedOrEnded(other);
                }
                return super.announce(term, actions);
            }
        };
        race.onElected(term -> reported.add("elected " + term.fencingToken()));
        race.onRevoked(term -> reported.add("revoked " + term.fencingToken()));
        race.start();
        locks.last().grant();
        assertThat(resigned.get(1, TimeUnit.MINUTES)).isTrue();
        background.run();
        assertThat(reported).containsExactly("elected 1", "revoked 1");
    }

    private Candidate race;

    private static void awaitBlockedOrEnded(Thread thread) {
        while (thread.getState() != Thread.State.BLOCKED && thread.isAlive()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void listener_that_fails_ends_nothing() {
        leadership.onElected(term -> {
            throw new IllegalStateException("on purpose");
        });
        leadership.onRevoked(term -> {
            throw new AssertionError("on purpose");
        });
        leadership.onRevoked(term -> throwAny(new IOException("on purpose")));
        listen();
        lead();
        leadership.resign();
        background.run();
        assertThat(reported).containsExactly("elected 1", "revoked 1");
        assertThat(locks.last().released).isTrue();
    }

    /** As Kotlin and Lombok do. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void throwAny(Throwable any) throws E {
        throw (E) any;
    }

    @Test
    void failures_are_repeated_for_ever_with_longer_and_longer_rests() {
        election.start();
        Duration longest = Duration.ofMillis(100);
        Set<Duration> long20 = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            locks.last().result.completeExceptionally(new LockStoreException("on purpose", null, false));
            Duration rest = background.pass();
            assertThat(rest).isBetween(longest.dividedBy(2), longest);
            assertThat(locks.calls).hasSize(i + 2);
            if (longest.equals(Candidate.MAX_REST)) {
                long20.add(rest);
            }
            Duration doubled = longest.multipliedBy(2);
            longest = doubled.compareTo(Candidate.MAX_REST) > 0 ? Candidate.MAX_REST : doubled;
        }
        assertThat(long20).as("shortened at random").hasSizeGreaterThan(1);
        locks.last().grant();
        assertThat(leadership.isLeader()).isTrue();
        locks.last().lose();
        assertThat(background.pass()).isLessThanOrEqualTo(Candidate.FIRST_REST);
    }

    @Test
    void listener_that_does_not_return_misses_whole_terms_that_are_over_and_hears_of_the_current_one() {
        AtomicBoolean hanging = new AtomicBoolean(true);
        listen();
        leadership.onElected(term -> {
            if (hanging.getAndSet(false)) {
                loseAndGrant(500);
            }
        });
        lead();

        background.run();

        assertThat(reported).hasSizeBetween(5, 3 + Candidate.MAX_WAITING).startsWith("elected 1", "revoked 1");
        assertThat(reported).endsWith("elected 501");
        for (int i = 2; i < reported.size() - 1; i += 2) {
            assertThat(reported.get(i + 1)).isEqualTo(reported.get(i).replace("elected", "revoked"));
        }
    }

    private void loseAndGrant(int times) {
        for (int i = 0; i < times; i++) {
            locks.last().lose();
            background.due.remove(background.due.size() - 1).action().run();
            locks.last().grant();
        }
    }

    @Test
    void template_that_throws_is_asked_again() {
        locks.refusal = new IllegalStateException("closed");
        election.start();
        locks.refusal = null;
        background.pass();
        assertThat(locks.calls).hasSize(1);
    }

    @Test
    void stop_gives_up_the_term_and_is_over_when_the_lock_is_released() {
        listen();
        lead();
        CompletableFuture<?> stopped = election.stop();
        assertThat(leadership.isLeader()).isFalse();
        assertThat(stopped).isNotDone();
        background.run();
        assertThat(reported).containsExactly("elected 1", "revoked 1");
        assertThat(locks.last().released).isTrue();
        assertThat(stopped).isDone();
        background.due.forEach(each -> each.action().run());
        assertThat(locks.calls).hasSize(1);
    }

    @Test
    void stop_ends_the_wait_and_what_was_granted_meanwhile_is_given_back() {
        listen();
        election.start();
        assertThat(election.stop()).isDone();
        assertThat(locks.last().result).isCancelled();
        locks.last().grant();
        assertThat(locks.last().released).isTrue();
        assertThat(leadership.isLeader()).isFalse();
        background.run();
        assertThat(reported).isEmpty();
    }

    @Test
    void stop_during_a_rest_ends_it() {
        election.start();
        locks.last().result.completeExceptionally(new LockStoreException("on purpose", null, false));
        assertThat(election.stop()).isDone();
        background.pass();
        assertThat(locks.calls).hasSize(1);
    }

    @Test
    void stopped_election_can_be_started_again() {
        listen();
        lead();
        assertThat(election.stop()).isNotDone();
        election.start();
        assertThat(locks.calls).hasSize(2);
        locks.last().grant();
        background.run();
        assertThat(reported).containsExactly("elected 1", "revoked 1", "elected 2");
        assertThat(leadership.term().map(Term::fencingToken)).contains(2L);
    }

    @Test
    void closed_election_is_over() {
        election.start();
        election.close();
        election.close();
        assertThat(locks.last().result).isCancelled();
        assertThatThrownBy(election::start).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> election.join("b")).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void role_is_joined_once_and_known_by_its_name() {
        assertThat(election.of("a")).isSameAs(leadership);
        assertThat(election.roles()).containsExactly(leadership);
        assertThatThrownBy(() -> election.of("b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[a]");
        assertThatThrownBy(() -> election.join("a")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> election.join(" ")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void lock_of_a_role_is_exclusive_and_one() {
        assertThatThrownBy(() -> election.join("b", LockRequest.ofAll(List.of("x", "y"))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> election.join("b", LockRequest.of("x").shared()))
                .isInstanceOf(IllegalArgumentException.class);
        election.join("b", LockRequest.of("x").name("mine").lease(Duration.ofSeconds(3)));
        election.start();
        assertThat(locks.calls)
                .extracting(each -> each.request.key().value() + " " + each.request.name())
                .containsExactly("leader:a leader-a", "x mine");
        assertThat(locks.last().request.lease()).isEqualTo(Optional.of(Duration.ofSeconds(3)));
    }

    @Test
    void every_stop_waits_for_the_terms_of_earlier_ones() {
        listen();
        lead();
        CompletableFuture<?> first = election.stop();
        assertThat(election.stop()).isNotDone();
        election.start();
        assertThat(election.stop()).isNotDone();
        assertThat(first).isNotDone();
        assertThat(locks.calls.get(0).released).isFalse();

        background.run();

        assertThat(locks.calls.get(0).released).isTrue();
        assertThat(election.stop()).isCompleted();
        assertThat(first).isCompleted();
    }
}
