package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.testing.CapturedLog;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that was told to mask keys shows no text of one, whatever happens. */
class MaskedKeysTest extends EngineFixture {

    private static final String PERSONAL = "anna@example.com";
    private static final LockRequest REQUEST = LockRequest.of(PERSONAL);

    private final List<LockEvent> reported = new CopyOnWriteArrayList<>();
    private final LockEngine masking = LockEngine.builder(store)
            .ticker(time)
            .pause(pause)
            .listener(reported::add)
            .maxAsyncWaiting(1)
            .maskKeys(true)
            .build();
    private final CapturedLog captured = new CapturedLog("io.holdfast.lock", Level.DEBUG);

    @AfterEach
    void end() {
        masking.close();
        captured.close();
    }

    private static String hash() throws Exception {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(PERSONAL.getBytes(StandardCharsets.UTF_8));
        return "sha256:" + HexFormat.of().formatHex(hash).substring(0, 16);
    }

    private static void assertMasked(Stream<?> shown) throws Exception {
        String hash = hash();
        assertThat(shown.map(String::valueOf))
                .isNotEmpty()
                .allSatisfy(text -> assertThat(text).contains(hash).doesNotContain("anna"));
    }

    @Test
    void log_lines_and_events_show_a_hash() throws Exception {
        LockHandle lost = masking.acquire(REQUEST);
        time.pass(Duration.ofSeconds(61));
        assertThat(lost.isHeld()).isFalse();
        assertThat(catchThrowable(lost::close)).isNotNull();
        masking.acquire(REQUEST).close();
        LockHandle again = masking.acquire(REQUEST);
        masking.forceRelease(PERSONAL);
        assertThat(catchThrowable(again::close)).isNotNull();

        assertMasked(captured.events().stream().map(each -> each.getFormattedMessage()));
        assertMasked(reported.stream());
    }

    @Test
    void messages_and_descriptions_show_a_hash() throws Exception {
        LockHandle lost = masking.acquire(REQUEST.lease(Duration.ofSeconds(1)).renew(false));
        String held = masking.held().toString();
        String snapshot = String.valueOf(masking.inspect(PERSONAL).key());
        Throwable refused =
                onAnotherThread(() -> catchThrowable(() -> masking.acquire(REQUEST.waitFor(Duration.ofMillis(20)))));
        Object result = onAnotherThread(() -> masking.tryExecute(REQUEST, () -> "never"));
        time.pass(Duration.ofSeconds(2));
        assertMasked(Stream.of(
                held,
                snapshot,
                refused.getMessage(),
                result,
                catchThrowable(lost::close).getMessage(),
                lost,
                lost.keys(),
                masking.getLock(PERSONAL),
                masking.getReadWriteLock(PERSONAL),
                catchThrowable(() -> masking.getLock(PERSONAL).unlock()).getMessage(),
                masking.getLock(LockRequest.ofAll(List.of(PERSONAL, PERSONAL + '2'))),
                catchThrowable(() -> masking.getReadWriteLock(LockRequest.ofAll(List.of(PERSONAL, PERSONAL + '2'))))
                        .getMessage()));
    }

    @Test
    void refusal_of_one_too_many_shows_a_hash() throws Exception {
        others.acquire(REQUEST);
        CompletableFuture<Object> waiting = masking.executeAsync(REQUEST, () -> new CompletableFuture<>());
        CompletableFuture<Object> tooMany = masking.executeAsync(REQUEST, () -> new CompletableFuture<>());
        assertMasked(Stream.of(catchThrowable(tooMany::join).getMessage()));
        waiting.cancel(true);
    }

    @Test
    void rule_for_requests_does_not_unmask() throws Exception {
        LockEngine ruled = LockEngine.builder(store)
                .ticker(time)
                .pause(pause)
                .maskKeys(true)
                .requests(request -> LockRequest.ofAll(
                                request.keys().stream().map(LockKey::value).toList())
                        .lease(Duration.ofSeconds(7)))
                .build();
        LockRequest both = LockRequest.ofAll(List.of(PERSONAL, PERSONAL + '2'));
        try (LockHandle lock = ruled.acquire(REQUEST)) {
            assertMasked(Stream.of(
                    lock.key(),
                    ruled.getLock(PERSONAL),
                    ruled.getLock(both),
                    ruled.getReadWriteLock(PERSONAL).readLock(),
                    ruled.getSemaphore(PERSONAL, 2),
                    ruled.getFairLock(PERSONAL),
                    ruled.getLock(PERSONAL).key(),
                    ruled.getLock(both).keys(),
                    catchThrowable(() -> ruled.getLock(PERSONAL).unlock()).getMessage()));
        } finally {
            ruled.close();
        }
    }

    @Test
    void key_that_a_handle_does_not_cover_is_shown_as_a_hash() {
        LockKey other = LockKey.of("bert@example.com");
        try (LockHandle one = masking.acquire("a");
                LockHandle several = masking.acquire(LockRequest.ofAll(List.of("b", "c")))) {
            assertThat(catchThrowable(() -> one.fencingToken(other)))
                    .hasMessage(
                            "This handle covers [%s], not '%s'", LockKey.of("a").masked(), other.masked());
            assertThat(catchThrowable(() -> several.fencingToken(other)))
                    .hasMessage(
                            "This handle covers [%s, %s], not '%s'",
                            LockKey.of("b").masked(), LockKey.of("c").masked(), other.masked());
        }
    }

    @Test
    void rule_that_changes_keys_is_refused_with_hashes() throws Exception {
        LockEngine ruled = LockEngine.builder(store)
                .ticker(time)
                .maskKeys(true)
                .requests(request -> LockRequest.of(PERSONAL))
                .requests(request -> LockRequest.of(PERSONAL + '2'))
                .build();
        assertMasked(Stream.of(
                catchThrowable(() -> ruled.acquire(REQUEST)).getMessage(),
                catchThrowable(() -> ruled.getLock(REQUEST)).getMessage()));
        ruled.close();
    }

    @Test
    void masked_key_is_the_same_lock() {
        LockKey masked = LockKey.of(PERSONAL).masked();
        assertThat(masked).isEqualTo(LockKey.of(PERSONAL)).hasSameHashCodeAs(LockKey.of(PERSONAL));
        assertThat(masked.value()).isEqualTo(PERSONAL);
        assertThat(masked.masked()).isSameAs(masked);
        assertThat(masked.isMasked()).isTrue();
        assertThat(LockKey.of(PERSONAL).isMasked()).isFalse();
        try (LockHandle lock = masking.acquire(REQUEST)) {
            assertThat(others.tryAcquire(REQUEST)).isEmpty();
            assertThat(lock.fencingToken(LockKey.of(PERSONAL))).isEqualTo(lock.fencingToken());
        }
    }

    @Test
    void one_request_may_be_masked() {
        LockRequest masked =
                LockRequest.ofAll(List.of("b@example.com", "a@example.com")).maskKeys();
        assertThat(masked).asString().doesNotContain("example.com");
        assertThat(masked.mapKeys(key -> "user:" + key).toString()).doesNotContain("example.com");
        try (LockHandle lock = locks.acquire(masked)) {
            assertThat(lock.keys()).allMatch(LockKey::isMasked);
            assertThat(others.tryAcquire("a@example.com")).isEmpty();
        }
    }
}
