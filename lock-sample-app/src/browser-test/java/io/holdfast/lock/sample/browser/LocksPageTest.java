package io.holdfast.lock.sample.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Page;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.jupiter.params.ParameterizedTest;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.Map;
import java.time.temporal.ChronoUnit;
import java.time.Instant;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockKey;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.sample.SampleInstance;
import io.holdfast.lock.testing.NewThread;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The page of {@code /actuator/locks}, as people see it. */
class LocksPageTest extends BrowserTest {

    private static final String SCROLL =
            """
            () => new Promise(done => {
              const grid = document.getElementById('grid'), times = [];
              let longest = 0, last = performance.now();
              new PerformanceObserver(list => list.getEntries().forEach(each => { longest = Math.max(longest, each.duration); }))
                .observe({ entryTypes: ['longtask'] });
              const step = now => {
                times.push(now - last);
                last = now;
                grid.scrollTop = (grid.scrollTop + 97) % 36000;
                if (times.length < 300) return requestAnimationFrame(step);
                times.sort((a, b) => a - b);
                done(`median ${times[150].toFixed(1)} ms, 95 % ${times[285].toFixed(1)} ms, longest ${times[299].toFixed(1)} ms, `
                  + `longest task ${longest.toFixed(0)} ms`);
              };
              requestAnimationFrame(step);
            })
            """;

    @BeforeAll
    static void start() {
        startInstances("--management.endpoint.locks.access=read-only");
    }

    private static Page stubbed(int width, ColorScheme theme, Supplier<String> report) {
        Page page = chromium.page(width, theme);
        stub(page, report);
        return page;
    }

    private static void stub(Page page, Supplier<String> report) {
        page.route(
                address -> address.contains("scope=all"),
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody(report.get())));
        page.navigate(url(one, "/actuator/locks"));
        assertThat(page.locator("#state")).hasText("Live");
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
        Page page = openLocks(one, 1360, ColorScheme.LIGHT);

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

    @Test
    void nothing_can_be_released_without_write_access() {
        LockHandle held = one.bean(LockTemplate.class).acquire("page:read-only");
        Page page = openLocks(two, 1360, ColorScheme.DARK);

        page.locator(".row", text("page:read-only")).click();

        assertThat(page.locator("#details")).containsText("Read-only");
        assertThat(page.locator("#ask")).hasCount(0);
        held.close();
    }

    @Test
    void deadlock_is_shown_at_the_top_until_it_is_over() {
        AtomicReference<String> report = new AtomicReference<>(Reports.deadlock());
        Page page = stubbed(1360, ColorScheme.LIGHT, report::get);

        assertThat(page.locator(".deadlock")).containsText("Deadlock of 2 threads");
        assertThat(page.locator(".deadlock li").first()).containsText("worker-1 holds order:41 and waits for order:42");
        assertThat(page.locator(".deadlock svg .arrow")).hasCount(2);
        assertThat(page.locator(".row.deadlocked")).hasCount(2);
        assertThat(page.locator("#announcer")).containsText("1 deadlock");
        assertThat(page).hasTitle("(1) Deadlock – Locks");
        report.set(Reports.of(List.of()));
        assertThat(page.locator(".deadlock")).hasCount(0);
    }

    @Test
    void time_waited_is_summed_by_name() {
        Instant start = Instant.now();
        AtomicInteger samples = new AtomicInteger();
        Page page = stubbed(1360, ColorScheme.LIGHT, () -> {
            int sample = Math.min(3, samples.getAndIncrement());
            List<Map<String, Object>> locks = new ArrayList<>(List.of(
                    Reports.lock("order:41", "a", 1, 3),
                    Reports.lock("order:42", "b", 1, 1),
                    Reports.lock("stock:7", "c", 1, 1),
                    Reports.lock("******", "d", 1, 2),
                    Reports.lock("quiet:1", "e", 1, 0)));
            if (sample >= 2) {
                locks.add(Reports.lock("late:1", "f", 1, 4));
            }
            if (sample == 0 || sample == 3) {
                locks.add(Reports.lock("back:1", "g", 1, 2));
            }
            return Reports.at(start.plusSeconds(2L * sample), locks);
        });

        assertThat(page.locator("#waited li")).hasText(new String[] {"order24 s", "****** d12 s", "late8.0 s", "stock6.0 s", "back4.0 s"});
    }

    @Test
    void key_that_looks_like_markup_is_text() {
        Page page = stubbed(
                1360, ColorScheme.LIGHT, () -> Reports.of(List.of(Reports.lock(Reports.HOSTILE, "x", 1, 2))));

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
                () -> Reports.of(List.of(
                        Reports.lock("******", "9f3a1111", 1, 0), Reports.lock("******", "77aa2222", 2, 0))));

        assertThat(page.locator(".row:not([hidden])")).hasCount(2);
        page.locator(".row", text("9f3a1111")).click();
        assertThat(page.locator("#details")).containsText("Keys are hidden");
        assertThat(page.locator("#ask")).hasCount(0);
    }

    @Test
    void rows_are_reached_by_keyboard_and_filtered() {
        Page page = stubbed(1360, ColorScheme.LIGHT, () -> Reports.many(300));
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
    void a_thousand_locks_are_scrolled_without_stutter() throws IOException {
        Page page = chromium.page(1360, ColorScheme.LIGHT);
        ScriptTimes.watch(page);
        stub(page, () -> Reports.many(1000));
        ScriptTimes.awaitSamples(page, 10);
        System.out.println("Scripts that show 1,000 locks: " + ScriptTimes.describe(page));
        System.out.println("Frames while 1,000 locks are scrolled: " + page.evaluate(SCROLL));

        Assertions.assertThat(page.locator(".row").count()).as("rows that exist").isLessThan(60);
        Looks.check(page, "thousand-locks");
    }

    @Test
    void lines_are_drawn_anew_if_the_window_changes_while_the_page_is_paused() {
        Page page = stubbed(1360, ColorScheme.LIGHT, () -> Reports.many(3));
        assertThat(page.locator(".row")).not().hasCount(0);
        page.locator("#pause").click();
        page.setViewportSize(900, 900);

        page.waitForFunction("() => [...document.querySelectorAll('.row:not([hidden]) canvas')].every(each =>"
                + " each.width === Math.round(each.clientWidth * devicePixelRatio) && each.clientWidth < 600)");
    }

    @Test
    void rows_do_not_overlap_once_the_window_has_become_narrow() {
        Page page = stubbed(1360, ColorScheme.LIGHT, () -> Reports.many(3));
        assertThat(page.locator(".row:not([hidden])")).hasCount(3);
        page.locator("#pause").click();
        page.setViewportSize(400, 900);

        page.waitForFunction("() => { const boxes = [...document.querySelectorAll('.row:not([hidden])')]"
                + ".map(each => each.getBoundingClientRect()).sort((a, b) => a.top - b.top);"
                + " return boxes[0].height > 60 && boxes.every((each, i) => i === 0 || each.top >= boxes[i - 1].bottom); }");
    }

    @Test
    void locks_of_two_instances_are_accessible_and_fit_a_phone() throws IOException {
        Page page = openLocks(one, 1360, ColorScheme.LIGHT);
        try (TwoInstances locks = TwoInstances.begin(one, two, page)) {
            assertThat(page.locator(".instance")).hasCount(2);
            assertThat(page.locator("#blocked li")).hasCount(1);
            assertThat(page.locator("#events li")).not().hasCount(0);
            Looks.check(page, "two-instances");
        }
    }

    @Test
    void details_and_the_question_are_accessible_and_fit_a_phone() throws IOException {
        Page page = stubbed(1360, ColorScheme.LIGHT, Reports::deadlock);
        page.locator(".row").first().click();
        Looks.check(page, "details");
        page.locator("#ask").click();
        Looks.check(page, "question");
    }

    @Test
    void ends_of_keys_and_threads_are_seen_where_they_are_cut() {
        String key = "warehouse-eu-central-1:region-north-west-7:article:4711";
        Page page = stubbed(
                1280,
                ColorScheme.LIGHT,
                () -> Reports.of(List.of(
                        Reports.lock(key + "00", "a", 1, 0),
                        Reports.lock("x".repeat(300) + key + "01", "b", 2, 0))));

        for (int width : List.of(1280, 400)) {
            page.setViewportSize(width, 900);
            Assertions.assertThat(page.evaluate("() => [...document.querySelectorAll('.row:not([hidden]) .end-kept')].filter(each => {"
                            + " const cell = each.closest('[role=gridcell]').getBoundingClientRect();"
                            + " const end = each.lastChild.getBoundingClientRect();"
                            + " return end.width < 20 || end.right > cell.right + .5; }).map(each => each.textContent)"))
                    .as("cut at their ends, in a window of " + width)
                    .isEqualTo(List.of());
        }
        assertThat(page.locator(".row", text("471100")).locator(".key-cell")).hasText(key + "00");
        assertThat(page.locator(".row", text("471101"))).hasCount(1);
    }

    @Test
    void holder_is_named_on_a_phone() {
        Page page = stubbed(400, ColorScheme.LIGHT, () -> Reports.many(3));

        assertThat(page.locator(".row .holder-cell").first()).containsText("shop-0 (pid 1) · worker-0");
        Assertions.assertThat(page.evaluate("() => [...document.querySelectorAll('.row:not([hidden]) .holder-cell *')]"
                        + ".filter(each => each.scrollWidth > each.clientWidth && each.clientWidth > 0)"
                        + ".map(each => each.textContent)"))
                .isEqualTo(List.of());
    }

    @Test
    void rows_fill_the_table_and_the_axis_says_where_it_begins() {
        Page page = stubbed(1280, ColorScheme.LIGHT, () -> Reports.many(3));

        Assertions.assertThat(page.evaluate("() => document.querySelector('.row').getBoundingClientRect().width"
                        + " - document.getElementById('rows').parentElement.getBoundingClientRect().width"))
                .isEqualTo(-2); // the border
        assertThat(page.locator(".axis i").first()).hasText("2 min ago");
    }

    @Test
    void active_row_has_a_ring_that_nothing_is_drawn_over() {
        Page page = stubbed(1280, ColorScheme.LIGHT, () -> Reports.many(3));
        page.locator("#grid").focus();

        Assertions.assertThat(page.locator(".row.active")
                        .evaluate("each => { const ring = getComputedStyle(each, '::after');"
                                + " return `${ring.position} ${ring.borderTopWidth} ${ring.borderRightWidth}`; }"))
                .isEqualTo("absolute 2px 2px");
    }

    @Test
    void losses_are_those_of_the_named_instance_and_long_holds_are_not_among_them() {
        Page page = stubbed(1280, ColorScheme.LIGHT, Reports::events);

        assertThat(page.locator("#events li")).hasCount(1);
        assertThat(page.locator("#events")).containsText("Only what shop-1 (pid 1) has seen.");
        assertThat(page.locator("#events")).not().containsText("held for a long time");
        assertThat(page.locator("#instance")).hasText("seen from shop-1 (pid 1)");
    }

    @Test
    void waiters_in_the_details_have_a_time() {
        Page page = stubbed(1280, ColorScheme.LIGHT, Reports::deadlock);
        page.locator(".row", text("order:41")).first().click();

        assertThat(page.locator("#details")).containsText(Pattern.compile("waiting for\\s*[\\d.]+ m?s or more"));
    }

    @Test
    void data_is_pale_and_dated_while_nothing_answers() {
        AtomicReference<String> report = new AtomicReference<>(Reports.many(3));
        Page page = stubbed(1280, ColorScheme.LIGHT, report::get);
        assertThat(page.locator("body")).not().hasClass("stale");

        report.set("{\"error\": \"none\"}");
        assertThat(page.locator("#state")).hasText("No response");

        assertThat(page.locator("body")).hasClass("stale");
        Assertions.assertThat(page.locator(".columns").evaluate("each => getComputedStyle(each).filter"))
                .isEqualTo("grayscale(1)");
        assertThat(page.locator("#problem")).containsText(Pattern.compile("The data shown is from \\d\\d:\\d\\d:\\d\\d\\."));
        report.set(Reports.many(3));
        assertThat(page.locator("body")).not().hasClass("stale");
    }

    @Test
    void page_without_locks_is_accessible_and_fits_a_phone() throws IOException {
        Page page = stubbed(1360, ColorScheme.LIGHT, () -> Reports.of(List.of()));
        assertThat(page.locator("#empty")).containsText("No lock is held");
        Looks.check(page, "empty");
    }

    @Test
    void several_deadlocks_of_many_threads_are_accessible_and_fit_a_phone() throws IOException {
        Page page = stubbed(1360, ColorScheme.LIGHT, () -> Reports.deadlocks(3, 10));
        assertThat(page.locator(".deadlock")).hasCount(2);
        assertThat(page.locator(".deadlock svg .arrow")).hasCount(12);
        Looks.check(page, "deadlocks");
    }

    private static final String CUT =
            """
            () => [...document.querySelectorAll('.row:not([hidden]) .held-cell, .row:not([hidden]) .waiting-cell, .axis i')]
              .filter(each => each.scrollWidth > each.clientWidth + (each.tagName === 'I' ? 1 : 0))
              .map(each => each.textContent)
            """;

    private static final String OVERLAPS =
            """
            () => {
              const boxes = [...document.querySelectorAll('.axis i')].map(each => each.getBoundingClientRect());
              const grid = document.getElementById('grid').getBoundingClientRect();
              return [
                ...boxes.filter((each, i) => i > 0 && each.left < boxes[i - 1].right + 2).map(each => `label at ${each.left}`),
                ...[...document.querySelectorAll('.row:not([hidden]) > span, .axis')].map(each => each.getBoundingClientRect().right)
                  .filter(right => right > grid.right + .5).map(right => `cell until ${right} of ${grid.right}`)];
            }
            """;

    @Test
    void times_and_the_axis_are_neither_cut_nor_drawn_over_each_other() {
        Page page = stubbed(
                1280,
                ColorScheme.LIGHT,
                () -> Reports.heldFor(
                        Duration.ofSeconds(59),
                        Duration.ofSeconds(290),
                        Duration.ofSeconds(599),
                        Duration.ofMinutes(59),
                        Duration.ofMinutes(1439),
                        Duration.ofMinutes(2879),
                        Duration.ofDays(1000)));
        assertThat(page.locator(".row", text("order:1")).locator(".held-cell")).containsText("4 min 5");

        for (int width : List.of(1920, 1500, 1280, 1181, 1180, 1024, 841, 840, 600, 400, 360)) {
            page.setViewportSize(width, 900);
            Assertions.assertThat(page.evaluate(CUT)).as("cut at " + width).isEqualTo(List.of());
            Assertions.assertThat(page.evaluate(OVERLAPS)).as("overlaps at " + width).isEqualTo(List.of());
        }
    }

    @Test
    void forced_release_is_shown_once_and_other_losses_remain() {
        Page page = stubbed(1280, ColorScheme.LIGHT, Reports::forced);

        assertThat(page.locator("#events li")).hasCount(2);
        assertThat(page.locator("#events li", text("released by force ·"))).hasCount(1);
        assertThat(page.locator("#events li", text("lost, no longer in Redis"))).hasCount(1);
        assertThat(page.locator("#counts div", text("lost here")).locator("dd")).hasText("1");
        assertThat(page.locator("#counts div", text("forced here")).locator("dd")).hasText("1");
    }

    @Test
    void one_is_not_a_plural() {
        Page page = stubbed(1280, ColorScheme.LIGHT, () -> Reports.deadlocks(2));

        assertThat(page.locator("#counts dt").filter(exactly("deadlock"))).hasCount(1);
        assertThat(page.locator("#counts dt").filter(exactly("locks"))).hasCount(1);

        Page other = stubbed(1280, ColorScheme.LIGHT, () -> Reports.heldFor(Duration.ofSeconds(1)));
        assertThat(other.locator("#counts dt").filter(exactly("deadlocks"))).hasCount(1);
        assertThat(other.locator("#counts dt").filter(exactly("lock"))).hasCount(1);
    }

    private static Locator.FilterOptions exactly(String text) {
        return new Locator.FilterOptions().setHasText(Pattern.compile("^" + text + "$"));
    }

    @Test
    void slow_redis_and_renewals_that_fail_are_shown() throws IOException {
        AtomicReference<String> report = new AtomicReference<>(Reports.changed(
                Reports.many(3), Map.of("lateRenewals", 0, "responseTime", "PT0.004S")));
        Page page = stubbed(1280, ColorScheme.LIGHT, report::get);
        assertThat(page.locator("#counts div", text("response of Redis"))).containsText("4 ms");
        assertThat(page.locator("#trouble")).isHidden();

        report.set(Reports.changed(Reports.many(3), Map.of("lateRenewals", 2, "responseTime", "PT1.2S")));
        assertThat(page.locator("#trouble"))
                .containsText("Redis is slow: a call took 1.2 s. shop-1 (pid 1) does not renew 2 locks");
        Looks.check(page, "trouble");

        report.set(Reports.changed(Reports.many(3), Map.of("lateRenewals", 0, "responseTime", "PT0.2S")));
        assertThat(page.locator("#trouble")).isHidden();
    }

    /** A sample each ten seconds of the store's time, with these remaining leases; 0 if the lock is gone. */
    private static Page samples(boolean kept, int... remaining) {
        AtomicInteger calls = new AtomicInteger();
        Instant begin = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        return stubbed(1280, ColorScheme.LIGHT, () -> {
            int n = Math.min(calls.getAndIncrement(), remaining.length - 1);
            String left = "PT" + remaining[n] + "S";
            return Reports.at(
                    begin.plusSeconds(10L * n),
                    remaining[n] == 0
                            ? List.of()
                            : List.of(Reports.held("order:1", 2, begin.minusSeconds(5), left, kept)));
        });
    }

    @Test
    void lease_of_another_instance_that_is_no_longer_renewed_and_runs_out_is_shown() {
        Page page = samples(false, 25, 28, 18, 8, 0);

        assertThat(page.locator("#trouble")).containsText("shop-2 (pid 1) does not renew 1 lock");
        assertThat(page.locator("#events li", text("lease ran out"))).containsText("order:1");
        assertThat(page.locator("#events li")).hasCount(1);
        assertThat(page.locator("#trouble")).isHidden();
    }

    @Test
    void fixed_lease_and_a_lock_that_is_kept_or_released_are_no_loss() {
        Page fixed = samples(false, 28, 18, 8, 0);
        Page kept = samples(true, 25, 28, 18, 8, 0);
        Page released = samples(false, 25, 28, 28, 22, 0);

        for (Page page : List.of(fixed, kept, released)) {
            assertThat(page.locator("#empty")).isHidden();
            assertThat(page.locator(".row.gone")).hasCount(1);
            assertThat(page.locator("#events li")).hasCount(0);
            assertThat(page.locator("#trouble")).isHidden();
        }
    }

    /** The place of the row, among these, whose characters, escaped or not, are those of the key. */
    private static final String ROW =
            """
            (rows, key) => rows.findIndex(row => {
              const text = [...row.querySelectorAll('.key-cell .escape')].map(each => each.textContent);
              const shown = row.querySelector('.key-cell').textContent;
              return text.reduce((all, each) => all.replace(each, JSON.parse(`"${each}"`)), shown) === key;
            })
            """;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "order:42\n",
                "tab\there",
                "soft\u00adhyphen",
                "/100%41//b/",
                "a+b&c=d#e?f;g\"'` \ud83d\udd12",
                " blanks "
            })
    void lock_in_the_question_is_released_and_no_other(String key) {
        // Different for each key: the scan that the page shows first may be the one of the test before.
        String prefix = "press-" + Integer.toHexString(key.hashCode()) + ":";
        String name = prefix + key;
        String lookalike = LockKey.printable(name).equals(name) ? name + "_" : LockKey.printable(name);
        LockHandle held = two.bean(LockTemplate.class).acquire(name);
        LockHandle other = two.bean(LockTemplate.class).acquire(lookalike);
        Page page = openLocks(one, 1280, ColorScheme.LIGHT);
        Locator rows = page.locator(".row:not([hidden])", text(prefix));
        assertThat(rows).hasCount(2);

        rows.nth((Integer) rows.evaluateAll(ROW, name)).click();
        page.locator("#ask").click();
        assertThat(page.locator("#question-key")).hasText(LockKey.printable(name));
        assertThat(page.locator("#question-key .escape"))
                .hasCount((int) name.chars().filter(each -> "\n\t\u00ad\u202e".indexOf(each) >= 0).count());
        page.locator("#release").click();

        assertThat(page.locator("#announcer")).containsText("1 former holder");
        Assertions.assertThat(two.bean(LockTemplate.class).inspect(name).isHeld()).isFalse();
        Assertions.assertThat(other.isHeld()).isTrue();
        other.close();
        Assertions.assertThatThrownBy(held::close).isInstanceOf(LockLostException.class);
    }

    @Test
    void masked_key_is_not_released() {
        Page page = stubbed(
                1280,
                ColorScheme.LIGHT,
                () -> Reports.of(List.of(Reports.lock("sha256:0123456789abcdef", "a", 1, 0))));

        page.locator(".row").first().click();

        assertThat(page.locator("#details")).containsText("Keys are masked");
        assertThat(page.locator("#ask")).hasCount(0);
    }

    @Test
    void question_shows_the_whole_key_and_what_happens_if_nobody_holds_it_any_more() throws IOException {
        String key = "k".repeat(499) + "\n" + "k".repeat(500);
        AtomicReference<String> report =
                new AtomicReference<>(Reports.of(List.of(Reports.lock(key, "a", 1, 0))));
        Page page = stubbed(1280, ColorScheme.LIGHT, report::get);
        page.route(
                address -> address.contains("exactKey="),
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("{\"key\": \"k\", \"released\": []}")));
        page.locator(".row").first().click();
        page.locator("#ask").click();

        assertThat(page.locator("#question-key")).hasText("k".repeat(499) + "\\u000a" + "k".repeat(500));
        assertThat(page.locator("#question-text")).containsText("1 invisible character");
        Looks.check(page, "question-long");
        page.locator("#release").click();
        assertThat(page.locator("#question-problem")).containsText("nothing was released");
        report.set(Reports.of(List.of()));
        assertThat(page.locator("#question-text")).containsText("Nobody holds this lock any more");
    }
}
