package io.holdfast.lock.sample.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
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

        assertThat(page.locator("#said")).hasText("Every item was sold exactly once.");
        assertThat(page.locator(".runner")).hasCount(2);
        assertThat(page.locator("#refused")).containsText("The token refuses a late write");
        assertThat(page.locator("#races tr").first().locator("td").nth(4)).hasText("0");
        Looks.check(page, "race");
    }

    @Test
    void without_the_lock_oversold_items_are_red() throws IOException {
        Page page = open();
        race(page, "Without the lock");

        assertThat(page.locator("#said.bad")).containsText("were sold that were not in stock");
        Locator stock = page.locator("#stock");
        assertThat(stock).hasAttribute("aria-label", java.util.regex.Pattern.compile("[1-9]\\d* sold more than once"));
        Looks.check(page, "race-without-lock");
    }

    @Test
    void page_links_to_that_of_the_locks() {
        Page page = open();
        page.locator("nav a").click();

        assertThat(page.locator("#state")).hasText("Live");
    }
}
