package io.holdfast.lock.migration.shedlock;

import static org.openrewrite.java.Assertions.java;

import io.holdfast.lock.migration.Recipes;
import org.junit.jupiter.api.Test;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

class FromShedLockTest implements RewriteTest {

    @Override
    public void defaults(RecipeSpec spec) {
        Recipes.use(spec, "FromShedLock");
    }

    private static String job(String annotation) {
        return """
                import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

                class Jobs {
                    %s
                    void run(String branch) {}
                }
                """.formatted(annotation);
    }

    private static String migrated(String annotation) {
        return """
                import io.holdfast.lock.spring.annotation.DistributedLock;
                import io.holdfast.lock.spring.annotation.OnContention;

                class Jobs {
                    %s
                    void run(String branch) {}
                }
                """.formatted(annotation);
    }

    private void becomes(String former, String migrated) {
        rewriteRun(java(
                job("@SchedulerLock(" + former + ")"),
                migrated("@DistributedLock(" + migrated + ", waitFor = 0, onContention = OnContention.SKIP)")));
    }

    @Test
    void job_is_skipped_and_keeps_its_times() {
        becomes(
                "name = \"report\", lockAtMostFor = \"30m\", lockAtLeastFor = \"${least}\"",
                "name = \"report\", minHoldString = \"${least}\", maxHoldString = \"30m\"");
    }

    @Test
    void number_without_a_unit_is_in_milliseconds() {
        becomes(
                "name = \"report\", lockAtMostFor = \"30000\", lockAtLeastFor = \"\"",
                "name = \"report\", maxHoldString = \"30000ms\"");
    }

    @Test
    void expression_at_the_end_is_the_key() {
        becomes("name = \"sync-#{#branch}\"", "name = \"sync\", key = \"#branch\"");
    }
}
