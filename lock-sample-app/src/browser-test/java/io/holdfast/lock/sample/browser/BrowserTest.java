package io.holdfast.lock.sample.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.holdfast.lock.sample.SampleInstance;
import io.holdfast.lock.testing.RedisClusterProcesses;
import io.holdfast.lock.testing.RedisServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.support.GenericApplicationContext;

/** A Chromium, and two instances of the sample on one Redis. */
@Tag("browser")
abstract class BrowserTest {

    @TempDir
    private static Path directory;

    static Chromium chromium;
    static SampleInstance one;
    static SampleInstance two;
    private static AutoCloseable redis;

    /** @param ofTheSecond further arguments of the second instance */
    static void startInstances(String... ofTheSecond) {
        startInstances(context -> {}, ofTheSecond);
    }

    /** @param beans adds more to both */
    static void startInstances(Consumer<GenericApplicationContext> beans, String... ofTheSecond) {
        chromium = Chromium.start();
        RedisServerProcess server = RedisServerProcess.start();
        redis = server;
        one = SampleInstance.start(directory, server.port(), beans);
        two = SampleInstance.start(directory, server.port(), beans, ofTheSecond);
    }

    /** On three masters. */
    static RedisClusterProcesses startInstancesOnCluster() {
        chromium = Chromium.start();
        RedisClusterProcesses cluster = RedisClusterProcesses.start(3, 0, Duration.ofMinutes(5));
        redis = cluster;
        String nodes = cluster.nodes().stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",", "--spring.data.redis.cluster.nodes=", ""));
        one = SampleInstance.start(directory, SampleInstance.noRedis(), nodes);
        two = SampleInstance.start(directory, SampleInstance.noRedis(), nodes);
        return cluster;
    }

    @AfterAll
    static void stop() throws Exception {
        if (chromium != null) {
            chromium.close();
            two.close();
            one.close();
            redis.close();
        }
    }

    static String url(SampleInstance instance, String path) {
        return "http://127.0.0.1:" + instance.context().getEnvironment().getProperty("local.server.port") + path;
    }

    static Page.LocatorOptions text(String text) {
        return new Page.LocatorOptions().setHasText(text);
    }

    /** The page of the locks. */
    static Page openLocks(SampleInstance instance, int width, ColorScheme theme) {
        Page page = chromium.page(width, theme);
        page.navigate(url(instance, "/actuator/locks"));
        assertThat(page.locator("#state")).hasText("Live");
        return page;
    }

    @AfterEach
    void noErrors() {
        chromium.closePages();
    }
}
