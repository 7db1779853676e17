package io.holdfast.lock.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.LauncherSessionListener;

/**
 * Sets a generous timeout for conditions that tests in all modules wait for: machines stall for seconds. A condition that never holds still
 * fails in the end.
 */
public final class PatientTests implements LauncherSessionListener {

    @Override
    public void launcherSessionOpened(LauncherSession session) {
        Awaitility.setDefaultTimeout(Duration.ofMinutes(1));
    }
}
