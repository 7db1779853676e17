package io.holdfast.lock.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.history.Check;
import io.holdfast.lock.history.History;
import io.holdfast.lock.history.Violation;
import io.holdfast.lock.history.Violation.Promise;
import io.holdfast.lock.testing.RedisAddress;
import io.holdfast.lock.testing.TestRedis;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stores that break a promise are found out by what their users record, and one that keeps it is not. */
@Tag("faults")
class PlantedViolationTest {

    private static final int GRANTS = 300;

    @TempDir
    private Path records;

    @ParameterizedTest
    @CsvSource({
        "GRANTS_WHAT_IS_HELD, EXCLUSION",
        "ENDS_LEASES_EARLY, EXCLUSION",
        "REPEATS_TOKENS, TOKENS",
    })
    void broken_promise_is_found(Defect defect, Promise promise) throws Exception {
        History history =
                runUntil(defect, so -> Check.violations(so).stream().anyMatch(each -> each.promise() == promise));

        assertThat(Check.violations(history)).extracting(Violation::promise).contains(promise);
    }

    @Test
    void nothing_is_found_where_no_promise_is_broken() throws Exception {
        History history = runUntil(Defect.NONE, so -> so.grants().size() > GRANTS);

        assertThat(Check.violations(history)).isEmpty();
    }

    private History runUntil(Defect defect, Predicate<History> enough) throws Exception {
        String prefix = "planted-" + UUID.randomUUID();
        LockPlace place =
                LockPlace.of(RedisAddress.standalone(TestRedis.shared().port())).in(prefix);
        List<String> keys = Keys.of(3, Use.ALONE, Use.SHARED, Use.PERMIT);
        try (Crew crew = Crew.start(defect.name(), records, place, keys, 2, defect)) {
            return Awaitility.await()
                    .atMost(2, TimeUnit.MINUTES)
                    .pollInterval(200, TimeUnit.MILLISECONDS)
                    .until(crew::history, enough);
        }
    }
}
