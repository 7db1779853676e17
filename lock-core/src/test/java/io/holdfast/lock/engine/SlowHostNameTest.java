package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.WorkerProcess;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Calls do not wait for the look-up of the host name, neither at the start nor after a restore. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(300)
class SlowHostNameTest {

    @Test
    void host_is_unknown_until_its_name_has_been_looked_up() throws Exception {
        try (WorkerProcess worker = WorkerProcess.start(
                List.of("env", "JDK_JAVA_OPTIONS=--add-opens=java.base/java.net=ALL-UNNAMED"),
                System.getProperty("java.class.path"),
                SlowHostNameWorker.class)) {
            assertThat(worker.nextLine()).isEqualTo("unknown");
            worker.send("respond");
            assertThat(worker.nextLine()).isNotEqualTo("unknown");
            assertThat(worker.nextLine()).as("after a restore").isEqualTo("unknown");
            worker.send("respond");
            assertThat(worker.nextLine()).isNotEqualTo("unknown");
        }
    }
}
