package io.holdfast.lock.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.history.Attempt;
import io.holdfast.lock.history.Check;
import io.holdfast.lock.history.History;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.TestRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Some hundred terms of several processes, of which some are killed and some stand still: {@link LeadershipFaultsTest} for every long build. */
@Tag("full")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LeadershipTermsTest {

    private static final int PROCESSES = 3;
    private static final int TERMS = 150;
    private static final int ROUNDS = 2;

    private final List<String> roles = Keys.of(6, Use.ALONE);

    @TempDir
    private Path records;

    @Test
    void there_is_one_leader_at_a_time_and_tokens_grow() throws Exception {
        LockPlace place =
                LockPlace.of(RedisAddress.standalone(TestRedis.shared().port())).in("leaders-" + UUID.randomUUID());
        try (Crew crew = Crew.startLeaders("leaders", records, place, roles, PROCESSES)) {
            for (int i = 1; i <= ROUNDS; i++) {
                awaitTerms(crew, i * TERMS);
                crew.killOne();
                awaitTerms(crew, i * TERMS + TERMS / 2);
                crew.stopOne(Duration.ofSeconds(3));
            }
            awaitTerms(crew, (ROUNDS + 1) * TERMS);
            History history = crew.history();
            assertThat(Check.violations(history)).isEmpty();
            assertThat(history.failures()).isEmpty();
            assertTokensGrow(history);
        }
    }

    /** Of all terms of a role, in the order in which their leaders were certainly leading. */
    private void assertTokensGrow(History history) {
        for (String role : roles) {
            assertThat(history.grants().stream()
                            .filter(each -> each.key().equals(role))
                            .sorted(Comparator.comparing(Attempt::returned))
                            .map(Attempt::token))
                    .as(role)
                    .isNotEmpty()
                    .isSorted();
        }
    }

    private static void awaitTerms(Crew crew, int count) {
        Awaitility.await()
                .atMost(4, TimeUnit.MINUTES)
                .pollInterval(500, TimeUnit.MILLISECONDS)
                .until(() -> crew.history().grants().size() >= count);
    }
}
