package io.holdfast.lock.sample.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** A Chromium of this machine, without a window. */
final class Chromium implements AutoCloseable {

    private static final List<Path> PLACES = Stream.of(
                    "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
            .map(Path::of)
            .toList();

    /** What a test awaits may take long on a busy machine. */
    private static final double PATIENCE_MILLIS = 60_000;

    private final Playwright playwright;
    private final Browser browser;
    private final List<BrowserContext> contexts = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();

    private Chromium(Path executable) {
        playwright = Playwright.create(
                new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
        browser = playwright
                .chromium()
                .launch(new BrowserType.LaunchOptions()
                        .setExecutablePath(executable)
                        .setArgs(List.of("--no-sandbox", "--disable-dev-shm-usage")));
    }

    static Chromium start() {
        Path executable = PLACES.stream().filter(Files::isExecutable).findFirst().orElse(null);
        if (executable == null) {
            System.err.println("SKIPPED: the tests of the pages, since no chromium is installed: none of " + PLACES);
        }
        Assumptions.assumeTrue(executable != null, "no chromium is installed");
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
        return new Chromium(executable);
    }

    Page page(int width, ColorScheme theme) {
        BrowserContext context = browser.newContext(
                new Browser.NewContextOptions().setViewportSize(width, 900).setColorScheme(theme));
        context.setDefaultTimeout(PATIENCE_MILLIS);
        contexts.add(context);
        Page page = context.newPage();
        page.onPageError(error -> errors.add(error));
        page.onConsoleMessage(message -> {
            if (message.type().equals("error")) {
                errors.add(message.text());
            }
        });
        return page;
    }

    /** Closes all pages, which must not have had an error. */
    void closePages() {
        contexts.forEach(BrowserContext::close);
        contexts.clear();
        List<String> seen = List.copyOf(errors);
        errors.clear();
        assertThat(seen).as("errors in the browser").isEmpty();
    }

    /** After a test of failures, which a browser reports. */
    void forgetErrors() {
        errors.clear();
    }

    static void assertAccessible(Page page) throws IOException {
        try (InputStream axe =
                Chromium.class.getResourceAsStream("/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
            page.evaluate(new String(axe.readAllBytes(), StandardCharsets.UTF_8) + "; 0");
        }
        Object violations = page.evaluate("async () => (await axe.run()).violations.map(each =>"
                + " each.id + ': ' + each.nodes.map(node => node.html.slice(0, 200) + ' ' + node.failureSummary).join(' | '))");
        assertThat((List<?>) violations).isEmpty();
    }

    static void assertNoHorizontalScroll(Page page) {
        assertThat(page.evaluate("document.documentElement.scrollWidth"))
                .isEqualTo(page.evaluate("document.documentElement.clientWidth"));
    }

    /** For people to look at. */
    static void picture(Page page, String name, boolean full) {
        page.screenshot(new Page.ScreenshotOptions()
                .setPath(Path.of("target", "pages", name + ".png"))
                .setFullPage(full));
    }

    @Override
    public void close() {
        browser.close();
        playwright.close();
    }
}
