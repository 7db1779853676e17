package io.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CodeBudgetTest {

    @Test
    void code_stays_within_its_budget() {
        CodeBudget.checkCodeLines();
    }

    @ParameterizedTest
    @CsvSource({"98, 0", "102, 0", "96, 2"})
    void figure_that_differs_by_two_percent_fits(int counted, int spread) {
        assertThat(CodeBudget.violation("code-lines", counted, spread, 100)).isEmpty();
    }

    @Test
    void figure_that_is_higher_needs_a_reason() {
        assertThat(CodeBudget.violation("code-lines", 103, 0, 100))
                .get()
                .asString()
                .contains("code-lines is 103, more than 2% above its budget of 100.", "raise the budget, with a line");
    }

    @ParameterizedTest
    @CsvSource({"97, 0, 97", "95, 2, 97"})
    void budget_goes_down_with_the_code(int counted, int spread, int lower) {
        assertThat(CodeBudget.violation("code-lines", counted, spread, 100))
                .get()
                .asString()
                .contains("more than 2% below its budget of 100. Lower the budget to " + lower);
    }

    @Test
    void only_code_counts() {
        String source = """
                /* A comment
                   of two lines. */
                package a;

                import b.C; // another

                class D {
                    // a comment
                    String e = "/* no comment";
                    char f = '"'; /* comment */ char g = '"';
                    String h = \"""
                            // no comment
                            \""";
                }
                """;

        assertThat(CodeBudget.codeLines(source)).isEqualTo(7);
    }
}
