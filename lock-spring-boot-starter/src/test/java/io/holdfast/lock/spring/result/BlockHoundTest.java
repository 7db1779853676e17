package io.holdfast.lock.spring.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.util.ClassUtils;

/** In a process of its own, since BlockHound changes classes of the JDK for good. */
@Timeout(300)
class BlockHoundTest {

    @Test
    void no_thread_of_reactor_blocks_and_no_lock_stays_held() throws Exception {
        assumeThat(ClassUtils.isPresent(
                        "reactor.blockhound.BlockHound", getClass().getClassLoader()))
                .as("BlockHound")
                .isTrue();
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+AllowRedefinitionToAddDeleteMethods",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        GuardedWork.class.getName()))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output.lines()).as(output).contains("on guard", "held: 0");
    }
}
