package io.holdfast.lock.sample.browser;

import io.holdfast.lock.sample.SampleInstance;
import io.holdfast.lock.testing.RedisServerProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** A Chromium, and two instances of the sample on one Redis. */
@Tag("browser")
abstract class BrowserTest {

    @TempDir
    private static Path directory;

    static Chromium chromium;
    static SampleInstance one;
    static SampleInstance two;
    private static RedisServerProcess redis;

    /** @param ofTheSecond further arguments of the second instance */
    static void startInstances(String... ofTheSecond) {
        chromium = Chromium.start();
        redis = RedisServerProcess.start();
        one = SampleInstance.start(directory, redis.port());
        two = SampleInstance.start(directory, redis.port(), ofTheSecond);
    }

    @AfterAll
    static void stop() {
        if (chromium != null) {
            chromium.close();
            two.close();
            one.close();
            redis.close();
        }
    }

    @AfterEach
    void noErrors() {
        chromium.closePages();
    }
}
