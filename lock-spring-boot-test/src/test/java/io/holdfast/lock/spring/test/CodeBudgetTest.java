package io.holdfast.lock.spring.test;

import io.holdfast.lock.testing.CodeBudget;
import org.junit.jupiter.api.Test;

class CodeBudgetTest {

    @Test
    void code_stays_within_its_budget() {
        CodeBudget.checkCodeLines();
    }
}
