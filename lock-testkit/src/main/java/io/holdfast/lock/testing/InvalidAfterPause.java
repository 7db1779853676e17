package io.holdfast.lock.testing;

import java.time.Duration;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * Aborts, with a visible reason, a test that failed while the machine stalled: such a failure proves nothing, since entries and
 * reservations in a real Redis expire in the meantime. A test that can be run again is instead repeated by {@link
 * RunningTime#withoutPause}.
 */
public final class InvalidAfterPause implements BeforeEachCallback, TestExecutionExceptionHandler {

    private static final Namespace NAMESPACE = Namespace.create(InvalidAfterPause.class);

    @Override
    public void beforeEach(ExtensionContext context) {
        context.getStore(NAMESPACE).put("paused", RunningTime.paused());
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        Duration before = context.getStore(NAMESPACE).get("paused", Duration.class);
        if (before != null && RunningTime.hasStoodStillSince(before)) {
            throw new TestAbortedException("SKIPPED: this test failed, but the machine stalled while it ran", failure);
        }
        throw failure;
    }
}
