package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.TestRedis;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Operations cost as many commands, round trips and bytes as {@code operation-costs.txt} says: no more, and no less, so that the
 * file stays true. These are counts, and do not depend on how fast the machine is.
 */
@Tag("full")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class OperationCostTest {

    private static final String FILE = "operation-costs.txt";
    private static final int ATTEMPTS = 3;

    @ParameterizedTest
    @EnumSource(value = TestRedis.Client.class, names = "JEDIS")
    void operations_cost_what_is_written_down(TestRedis.Client driver) {
        Map<String, OperationCost> expected = expected(driver);
        StringBuilder differences = new StringBuilder();
        try (CountedClients clients = new CountedClients(driver)) {
            for (Operation operation : Operation.values()) {
                OperationCost known = expected.get(operation.name());
                differences.append(difference(operation, driver, clients, known));
            }
        }
        assertThat(differences.toString()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(value = TestRedis.Client.class, names = "JEDIS")
    void nothing_else_is_written_down(TestRedis.Client driver) {
        assertThat(expected(driver).keySet())
                .containsExactly(
                        Arrays.stream(Operation.values()).map(Enum::name).toArray(String[]::new));
    }

    /** What a driver does by itself now and then, such as a look at an idle connection, adds to a count; so it is repeated. */
    private static String difference(
            Operation operation, TestRedis.Client driver, CountedClients clients, @Nullable OperationCost expected) {
        String differences = "";
        OperationCost found = OperationCost.NONE;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            found = operation.count(clients);
            differences = expected == null ? "  It has no line.\n" : found.differencesFrom(expected);
            if (differences.isEmpty()) {
                return "";
            }
        }
        return String.format(
                "%n%s with %s:%n%s  If that is on purpose, say why in the commit, and have its line in"
                        + " lock-core/src/test/resources/io/holdfast/lock/scenes/%s say%n%s%n",
                operation, driver, differences, FILE, line(operation, driver, found));
    }

    /** By operation. */
    private static Map<String, OperationCost> expected(TestRedis.Client driver) {
        Map<String, OperationCost> costs = new LinkedHashMap<>();
        for (String[] line : lines()) {
            if (line[1].equals(driver.name())) {
                costs.put(line[0], OperationCost.parse(line, 2));
            }
        }
        return costs;
    }

    private static String line(Operation operation, TestRedis.Client driver, OperationCost cost) {
        return String.format(Locale.ROOT, "%-16s %-8s %s", operation, driver, cost);
    }

    private static List<String[]> lines() {
        try (InputStream text = OperationCostTest.class.getResourceAsStream(FILE)) {
            return new String(text.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.strip().split("\\s+"))
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException(FILE + " cannot be read", e);
        }
    }
}
