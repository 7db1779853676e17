package io.holdfast.lock.sample.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The page of the sample: its races between two instances. */
class RacePageTest extends BrowserTest {

    private static final LocatorAssertions.HasTextOptions PATIENT = new LocatorAssertions.HasTextOptions().setTimeout(60_000);

    @BeforeAll
    static void start() {
        startInstances();
    }

    private static Page open(ColorScheme theme) {
        Page page = chromium.page(1280, theme);
        page.navigate(LocksPageTest.url(one, "/"));
        assertThat(page.locator("#running")).hasText("2 instances are running.");
        return page;
    }

    private static void race(Page page, String button) {
        page.locator("#items").fill("400");
        page.locator("button", new Page.LocatorOptions().setHasText(button)).last().click();
    }

    @Test
    void with_the_lock_and_a_pause_the_token_refuses_the_late_write() {
        Page page = open(ColorScheme.LIGHT);
        race(page, "With the lock, and a pause");

        assertThat(page.locator("#said")).hasText("Every item was sold exactly once.", PATIENT);
        assertThat(page.locator(".runner")).hasCount(2);
        assertThat(page.locator("#refused")).containsText("The token refuses a late write");
        assertThat(page.locator("#races tr").first().locator("td").nth(4)).hasText("0");
        Chromium.picture(page, "race-with-pause", true);
    }

    @Test
    void without_the_lock_oversold_items_are_red() {
        Page page = open(ColorScheme.DARK);
        race(page, "Without the lock");

        assertThat(page.locator("#said.bad"))
                .containsText("were sold that were not in stock", new LocatorAssertions.ContainsTextOptions().setTimeout(60_000));
        Locator stock = page.locator("#stock");
        assertThat(stock).hasAttribute("aria-label", java.util.regex.Pattern.compile("[1-9]\\d* sold more than once"));
        Chromium.picture(page, "race-without-lock", true);
    }

    @ParameterizedTest
    @EnumSource(
            value = ColorScheme.class,
            names = {"LIGHT", "DARK"})
    void page_is_accessible_in_both_themes_and_fits_a_phone(ColorScheme theme) throws IOException {
        Page page = open(theme);
        race(page, "With the lock");
        assertThat(page.locator("#said")).containsText("exactly once", new LocatorAssertions.ContainsTextOptions().setTimeout(60_000));
        Chromium.assertAccessible(page);

        page.setViewportSize(400, 860);
        Chromium.assertNoHorizontalScroll(page);
        Chromium.assertAccessible(page);
        Chromium.picture(page, "race-narrow-" + theme, true);
    }

    @Test
    void page_links_to_that_of_the_locks() {
        Page page = open(ColorScheme.LIGHT);
        page.locator("nav a").click();

        assertThat(page.locator("#state")).hasText("Live");
    }
}
