package io.holdfast.lock.sample.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.sample.SampleInstance;
import io.holdfast.lock.testing.NewThread;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The page of {@code /actuator/locks}, as people see it. */
class LocksPageTest extends BrowserTest {

    @BeforeAll
    static void start() {
        startInstances("--management.endpoint.locks.access=read-only");
    }

    private static Page open(SampleInstance instance, int width, ColorScheme theme) {
        Page page = chromium.page(width, theme);
        page.navigate(url(instance, "/actuator/locks"));
        assertThat(page.locator("#state")).hasText("Live");
        return page;
    }

    private static Page stubbed(int width, ColorScheme theme, Supplier<String> overview) {
        Page page = chromium.page(width, theme);
        page.route(
                address -> address.contains("scope=all"),
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody(overview.get())));
        page.navigate(url(one, "/actuator/locks"));
        assertThat(page.locator("#state")).hasText("Live");
        return page;
    }

    static String url(SampleInstance instance, String path) {
        return "http://127.0.0.1:" + instance.context().getEnvironment().getProperty("local.server.port") + path;
    }

    private static CompletableFuture<LockHandle> waiter(SampleInstance by, String key) {
        return NewThread.start(() -> by.bean(LockTemplate.class)
                .acquire(LockRequest.of(key).waitFor(Duration.ofMinutes(2)))
                .detach());
    }

    @Test
    void holders_and_waiters_of_two_instances_are_shown_and_a_lock_is_released_after_a_question() {
        LockHandle held = one.bean(LockTemplate.class).acquire("page:42").detach();
        LockHandle other = two.bean(LockTemplate.class).acquire("page:7").detach();
        CompletableFuture<LockHandle> waiting = waiter(two, "page:42");
        Page page = open(one, 1360, ColorScheme.LIGHT);

        assertThat(page.locator(".row", text("page:42")).locator(".waiting-cell b")).hasText("1");
        assertThat(page.locator(".instance")).hasCount(2);
        page.locator(".row", text("page:42")).click();
        assertThat(page.locator("#details")).containsText("Queue: 1 waiter");
        page.locator("#ask").click();
        assertThat(page.locator("#question")).containsText("The first of 1 waiter acquires it");
        page.locator("#keep").click();
        Assertions.assertThat(held.isHeld()).isTrue();
        page.locator("#ask").click();
        page.locator("#release").click();

        LockHandle next = waiting.join();
        Assertions.assertThat(next.isHeld()).isTrue();
        assertThat(page.locator("#announcer")).containsText("page:42 was released by force");
        next.close();
        other.close();
        Assertions.assertThatThrownBy(held::close).isNotNull();
    }

    private static Page.LocatorOptions text(String text) {
        return new Page.LocatorOptions().setHasText(text);
    }

    @Test
    void nothing_can_be_released_without_write_access() {
        LockHandle held = one.bean(LockTemplate.class).acquire("page:read-only");
        Page page = open(two, 1360, ColorScheme.DARK);

        page.locator(".row", text("page:read-only")).click();

        assertThat(page.locator("#details")).containsText("Read-only");
        assertThat(page.locator("#ask")).hasCount(0);
        held.close();
    }

    @Test
    void deadlock_is_shown_at_the_top_until_it_is_over() {
        AtomicReference<String> overview = new AtomicReference<>(Overviews.deadlock());
        Page page = stubbed(1360, ColorScheme.LIGHT, overview::get);

        assertThat(page.locator(".deadlock")).containsText("Deadlock of 2 threads");
        assertThat(page.locator(".deadlock li").first()).containsText("worker-1 holds order:41 and waits for order:42");
        assertThat(page.locator(".deadlock svg .arrow")).hasCount(2);
        assertThat(page.locator(".row.deadlocked")).hasCount(2);
        assertThat(page.locator("#announcer")).containsText("1 deadlock");
        assertThat(page).hasTitle("(1) Deadlock – Locks");
        Chromium.picture(page, "deadlock", false);
        overview.set(Overviews.of(List.of()));
        assertThat(page.locator(".deadlock")).hasCount(0);
    }

    @Test
    void key_that_looks_like_markup_is_text() {
        Page page = stubbed(
                1360, ColorScheme.LIGHT, () -> Overviews.of(List.of(Overviews.lock(Overviews.HOSTILE, "x", 1, 2))));

        assertThat(page.locator(".row .key-cell").first()).containsText("<img src=x");
        page.locator(".row").first().click();
        assertThat(page.locator("#details-title")).containsText("</script>");
        assertThat(page.locator("img")).hasCount(0);
        assertThat(page).hasTitle("Locks");
    }

    @Test
    void hidden_key_is_told_apart_by_its_id_and_is_not_released() {
        Page page = stubbed(
                1360,
                ColorScheme.LIGHT,
                () -> Overviews.of(List.of(
                        Overviews.lock("******", "9f3a1111", 1, 0), Overviews.lock("******", "77aa2222", 2, 0))));

        assertThat(page.locator(".row:not([hidden])")).hasCount(2);
        page.locator(".row", text("9f3a1111")).click();
        assertThat(page.locator("#details")).containsText("Keys are hidden");
        assertThat(page.locator("#ask")).hasCount(0);
    }

    @Test
    void rows_are_reached_by_keyboard_and_filtered() {
        Page page = stubbed(1360, ColorScheme.LIGHT, () -> Overviews.many(300));
        page.locator("#search").fill("order:29");
        assertThat(page.locator("#shown")).hasText("11 of 300");
        page.locator("#search").fill("");
        page.locator("#sort").selectOption("key");

        page.locator("#grid").focus();
        page.keyboard().press("End");
        assertThat(page.locator(".row.active")).containsText("order:299");
        page.keyboard().press("Enter");

        assertThat(page.locator("#details-title")).hasText("order:299");
        page.keyboard().press("Escape");
        assertThat(page.locator("#grid")).isFocused();
    }

    @Test
    void a_thousand_locks_are_scrolled_without_stutter() {
        Page page = stubbed(1360, ColorScheme.LIGHT, () -> Overviews.many(1000));
        page.waitForTimeout(5000);

        Object times = page.evaluate("() => new Promise(done => { const grid = document.getElementById('grid'); const times = [];"
                + " let longest = 0; new PerformanceObserver(list => list.getEntries().forEach(each => {"
                + " longest = Math.max(longest, each.duration); })).observe({ entryTypes: ['longtask'] });"
                + " let last = performance.now(); const step = now => { times.push(now - last); last = now;"
                + " grid.scrollTop = (grid.scrollTop + 97) % 36000; if (times.length < 300) requestAnimationFrame(step);"
                + " else { times.sort((a, b) => a - b); done(`median ${times[150].toFixed(1)} ms, 95 % ${times[285].toFixed(1)} ms,"
                + " longest ${times[299].toFixed(1)} ms, longest task ${longest.toFixed(0)} ms`); } };"
                + " requestAnimationFrame(step); })");
        System.out.println("Frames while 1,000 locks are scrolled: " + times);

        Assertions.assertThat(page.locator(".row").count()).as("rows that exist").isLessThan(60);
        Chromium.picture(page, "thousand-locks", false);
    }

    @ParameterizedTest
    @EnumSource(
            value = ColorScheme.class,
            names = {"LIGHT", "DARK"})
    void page_is_accessible_in_both_themes_and_fits_a_phone(ColorScheme theme) throws IOException {
        Page page = stubbed(1360, theme, Overviews::deadlock);
        assertThat(page.locator(".deadlock")).isVisible();
        Chromium.assertAccessible(page);
        page.locator(".row").first().click();
        Chromium.assertAccessible(page);
        page.locator("#details .close").click();

        page.setViewportSize(400, 860);
        Chromium.assertNoHorizontalScroll(page);
        Chromium.assertAccessible(page);
        Chromium.picture(page, "narrow-" + theme, true);
    }
}
