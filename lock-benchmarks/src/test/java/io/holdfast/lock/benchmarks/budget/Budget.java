package io.holdfast.lock.benchmarks.budget;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/** The committed figures, {@code budget.properties}. */
final class Budget {

    private static final Properties FIGURES = new Properties();

    static {
        try (InputStream file = Budget.class.getResourceAsStream("budget.properties")) {
            FIGURES.load(Objects.requireNonNull(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Budget() {}

    /**
     * Fails if a figure is above its budget, and if it is below: a budget that nobody lowers is none.
     *
     * @param spread by how much the figure differs from run to run; the budget is its maximum
     * @param details what was counted, for the message
     */
    static void check(String name, int counted, int spread, Object details) {
        String budget = FIGURES.getProperty(name);
        assertThat(budget).as("%s in budget.properties", name).isNotNull();
        int most = Integer.parseInt(budget);
        assertThat(counted)
                .as("%s in budget.properties; lower it if the code got smaller. Counted: %s", name, details)
                .isBetween(most - spread, most);
    }
}
