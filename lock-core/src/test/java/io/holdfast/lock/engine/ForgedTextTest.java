package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.RemoteLock;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.testing.CapturedLog;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.threads.DaemonThreads;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever chooses a key, or the name of a thread, writes no line of a log, and no terminal obeys him. */
class ForgedTextTest extends EngineFixture {

    private static final String FORGED = "order\n2026-01-01 ERROR forged\r\u001b[2J\u0085\u2028\u202eend";
    private static final String SHOWN = "order\\u000a2026-01-01 ERROR forged\\u000d\\u001b[2J\\u0085\\u2028\\u202eend";

    private final CapturedLog captured = new CapturedLog("io.holdfast.lock", Level.DEBUG);

    @AfterEach
    void stopListening() {
        captured.close();
    }

    private Stream<String> lines() {
        return captured.events().stream().map(each -> each.getFormattedMessage());
    }

    @Test
    void log_lines_show_a_key_on_one_line() {
        LockHandle lost = locks.acquire(LockRequest.of(FORGED));
        time.pass(Duration.ofSeconds(61));
        assertThat(lost.isHeld()).isFalse();
        others.acquire(LockRequest.of(FORGED));
        others.forceRelease(FORGED);
        assertThat(lines())
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).contains(SHOWN).doesNotContain("\n", "\r"));
    }

    @Test
    void log_lines_and_descriptions_show_a_name_on_one_line() {
        LockRequest request = LockRequest.of(KEY).name(FORGED).warnAfter(Duration.ofSeconds(1));
        LockHandle held = locks.acquire(request);
        time.pass(Duration.ofSeconds(2));
        time.pass(Duration.ofSeconds(61));
        assertThat(held.isHeld()).isFalse();
        Throwable refused = catchThrowable(held::ensureHeld);

        assertThat(lines()).filteredOn(line -> line.contains(SHOWN)).isNotEmpty();
        assertThat(lines()).allSatisfy(line -> assertThat(line).doesNotContain("\n", "\r", "\u001b"));
        assertThat(Stream.of(request, request.name(), held, refused.getMessage())
                        .map(Object::toString))
                .allSatisfy(text -> assertThat(text).doesNotContain("\n", "\r", "\u001b", "\u202e"));
        assertThat(request.name()).isEqualTo(SHOWN);
    }

    @Test
    void exceptions_show_the_name_of_a_thread_on_one_line() {
        RemoteLock lock = locks.getLock(KEY);
        List<Throwable> refusals = NewThread.call(() -> {
            Thread.currentThread().setName(FORGED);
            return List.of(catchThrowable(lock::unlock), catchThrowable(lock::fencingToken));
        });

        assertThat(refusals)
                .extracting(Throwable::getMessage)
                .allSatisfy(text -> assertThat(text).contains(SHOWN).doesNotContain("\n", "\r", "\u001b"));
    }

    @Test
    void failure_on_a_thread_shows_its_name_on_one_line() {
        NewThread.call(() -> {
            Thread.currentThread().setName(FORGED);
            DaemonThreads.runGuarded(() -> {
                throw new IllegalStateException("on purpose");
            });
            return true;
        });

        assertThat(lines())
                .singleElement()
                .satisfies(line -> assertThat(line).contains(SHOWN).doesNotContain("\n", "\r", "\u001b"));
    }

    @Test
    void role_that_would_break_a_log_line_is_refused() {
        try (LeaderElection election = LeaderElection.on(locks)) {
            LockRequest request = LockRequest.of(KEY);
            assertThat(Stream.of(
                            catchThrowable(() -> election.join(FORGED)),
                            catchThrowable(() -> election.join(FORGED, request)),
                            catchThrowable(() -> election.of(FORGED))))
                    .allSatisfy(refusal -> assertThat(refusal)
                            .isInstanceOf(IllegalArgumentException.class)
                            .message()
                            .contains(SHOWN)
                            .doesNotContain("\n", "\r", "\u001b"));
            assertThat(election.roles()).isEmpty();
        }
    }

    @Test
    void messages_and_descriptions_show_a_key_on_one_line() {
        LockRequest request = LockRequest.of(FORGED);
        LockHandle lost = locks.acquire(request.lease(Duration.ofSeconds(1)).renew(false));
        Throwable refused = catchThrowable(() -> others.acquire(request.waitFor(Duration.ofMillis(20))));
        time.pass(Duration.ofSeconds(2));
        List<Object> shown = List.of(
                refused.getMessage(),
                catchThrowable(lost::close).getMessage(),
                lost,
                lost.key(),
                locks.getLock(FORGED),
                catchThrowable(() -> locks.getLock(FORGED).unlock()).getMessage(),
                catchThrowable(() -> locks.getLock(FORGED).fencingToken()).getMessage(),
                new LockEvent.LongHeld(lost.key(), "", 1, Duration.ZERO));
        assertThat(shown)
                .map(Object::toString)
                .allSatisfy(text -> assertThat(text).contains(SHOWN).doesNotContain("\n", "\r", "\u001b", "\u202e"));
    }

    @Test
    void the_key_itself_stays_as_it_is() {
        assertThat(LockKey.of(FORGED).value()).isEqualTo(FORGED);
        locks.acquire(LockRequest.of(FORGED));
        assertThat(others.tryAcquire(LockRequest.of(SHOWN))).isPresent();
        assertThat(others.tryAcquire(LockRequest.of(FORGED))).isEmpty();
    }

    @Test
    void a_holder_is_described_on_one_line_whatever_the_store_says() {
        var holder = new LockHolder(
                FORGED,
                FORGED,
                1,
                FORGED,
                Instant.EPOCH,
                Duration.ofSeconds(1),
                1,
                LockMode.EXCLUSIVE,
                false,
                Optional.of(FORGED));
        assertThat(holder.traceparent()).isEmpty();
        assertThat(Stream.of(holder.toString(), holder.describe(), holder.host(), holder.thread(), holder.clientId()))
                .allSatisfy(text -> assertThat(text).contains(SHOWN).doesNotContain("\n", "\r", "\u001b"));
    }

    @Test
    void a_thread_whose_name_has_lines_does_not_change_the_form_of_an_answer() throws InterruptedException {
        Thread holder = new Thread(() -> locks.acquire(LockRequest.of(KEY)), FORGED);
        holder.start();
        holder.join();
        assertThat(others.inspect(KEY).holders())
                .singleElement()
                .satisfies(each -> assertThat(each.thread()).isEqualTo(SHOWN));
    }

    @ParameterizedTest
    @ValueSource(strings = {"order:42", "Straße/東京/🔒", "a\\b", "{} %7D", "é\u0301"})
    void ordinary_texts_are_shown_as_they_are(String text) {
        assertThat(LockKey.of(text)).hasToString(text);
    }
}
