package io.holdfast.lock.sample.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The page of the sample: its races between two instances. */
class RacePageTest extends BrowserTest {

    @BeforeAll
    static void start() {
        startInstances();
    }

    private static Page open() {
        Page page = chromium.page(1280, ColorScheme.LIGHT);
        page.navigate(url(one, "/"));
        assertThat(page.locator("#running")).hasText("2 instances are running.");
        return page;
    }

    private static void race(Page page, String button) {
        page.locator("#items").fill("400");
        page.locator("button", text(button)).last().click();
    }

    @Test
    void with_the_lock_and_a_pause_the_token_refuses_the_late_write() throws IOException {
        Page page = open();
        race(page, "With the lock, and a pause");

        assertThat(page.locator("#race-status")).hasText("Every item was sold exactly once.");
        assertThat(page.locator(".runner")).hasCount(2);
        assertThat(page.locator("#refused")).containsText("The token refuses a late write");
        assertThat(page.locator("#races tr").first().locator("td").nth(4)).hasText("0");
        Looks.check(page, "race");
    }

    @Test
    void without_the_lock_oversold_items_are_red() throws IOException {
        Page page = open();
        race(page, "Without the lock");

        assertThat(page.locator("#race-status.bad")).containsText("were sold that were not in stock");
        Locator stock = page.locator("#stock");
        assertThat(stock).hasAttribute("aria-label", java.util.regex.Pattern.compile("[1-9]\\d* sold more than once"));
        Looks.check(page, "race-without-lock");
    }

    @Test
    void results_fit_a_phone() {
        Page page = chromium.page(1280, ColorScheme.LIGHT);
        page.route(
                address -> address.contains("/races"),
                route -> route.fulfill(json(answer(route.request().url(), 2))));
        page.navigate(url(one, "/"));
        assertShows(page, 20, 2);
        page.setViewportSize(400, 900);

        Assertions.assertThat(page.evaluate("() => [...document.querySelectorAll('#races td')]"
                        + ".filter(each => each.getBoundingClientRect().right > innerWidth || each.scrollWidth > each.clientWidth)"
                        + ".map(each => each.dataset.label)"))
                .isEqualTo(List.of());
        assertThat(page.locator("#races tr").first()).containsText("0");
        Assertions.assertThat(page.locator("#races tr")
                        .first()
                        .locator("td")
                        .nth(4)
                        .evaluate("each => getComputedStyle(each, '::before').content"))
                .isEqualTo("\"Oversold\"");
    }

    /** As after a time in the background, when requests and timers take long. */
    @Test
    void figures_of_two_races_never_stand_side_by_side() {
        Page page = chromium.page(1280, ColorScheme.LIGHT);
        AtomicInteger races = new AtomicInteger(1);
        List<Route> pending = new ArrayList<>();
        page.route(address -> address.contains("/races"), route -> {
            String address = route.request().url();
            if (address.contains("/races/2/sales?after=0") && pending.isEmpty()) {
                pending.add(route);
            } else {
                route.fulfill(json(answer(address, races.get())));
            }
        });
        page.navigate(url(one, "/"));
        assertShows(page, 10, 1);

        races.set(2);
        page.waitForCondition(() -> !pending.isEmpty());
        page.setViewportSize(1000, 900); // draws all again
        page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        assertShows(page, 10, 1);
        pending.get(0).fulfill(json(sales(20)));

        assertShows(page, 20, 2);
    }

    private static void assertShows(Page page, int items, int results) {
        assertThat(page.locator(".runner .sold")).hasText(String.valueOf(items));
        assertThat(page.locator("#stock")).hasAttribute("aria-label", items + " items sold once, 0 sold more than once, 0 not sold");
        assertThat(page.locator("#races tr")).hasCount(results);
    }

    private static Route.FulfillOptions json(String body) {
        return new Route.FulfillOptions().setContentType("application/json").setBody(body);
    }

    private static String answer(String address, int races) {
        if (address.contains("/instances")) {
            return "[\"one\"]";
        }
        if (address.contains("/sales")) {
            return address.endsWith("after=0") ? sales(address.contains("/races/1/") ? 10 : 20) : "[]";
        }
        if (address.contains("/races/")) {
            return race(address.endsWith("/1") ? 1 : 2);
        }
        return races == 1 ? "[" + race(1) + "]" : "[" + race(2) + "," + race(1) + "]";
    }

    /** Of ten items for each number. */
    private static String race(int id) {
        int items = 10 * id;
        return """
                {"id": %d, "state": "DONE", "locked": true, "pause": false, "items": %d, "sold": %d, "oversold": 0, "refused": 0,
                 "meanWaitMillis": 1, "maxWaitMillis": 2, "durationMillis": 100,
                 "instances": [{"instance": "one", "state": "DONE", "sold": %d, "refused": 0, "meanWaitMillis": 1}]}
                """.formatted(id, items, items, items);
    }

    private static String sales(int items) {
        return IntStream.rangeClosed(1, items)
                .mapToObj(i -> "{\"id\": %d, \"item\": %d, \"instance\": \"one\", \"refused\": false, \"fencingToken\": 7}"
                        .formatted(i, i))
                .collect(Collectors.joining(",", "[", "]"));
    }

    @Test
    void page_links_to_that_of_the_locks() {
        Page page = open();
        page.locator("nav a").click();

        assertThat(page.locator("#state")).hasText("Live");
    }
}
