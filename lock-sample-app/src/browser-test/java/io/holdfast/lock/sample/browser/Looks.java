package io.holdfast.lock.sample.browser;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** A page in both themes, wide and as narrow as a phone. */
final class Looks {

    private static final int WIDE = 1360;
    private static final int NARROW = 400;

    private Looks() {}

    /** Leaves a picture of each look, which must be accessible and fit into the window. The page is wide and light afterwards. */
    static void check(Page page, String name) throws IOException {
        check(page, name, WIDE);
    }

    /** @param wide how wide the wide one is */
    static void check(Page page, String name, int wide) throws IOException {
        for (ColorScheme theme : List.of(ColorScheme.DARK, ColorScheme.LIGHT)) {
            page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(theme));
            for (int width : List.of(NARROW, wide)) {
                page.setViewportSize(width, 900);
                Chromium.assertNoHorizontalScroll(page);
                Chromium.assertAccessible(page);
                String look = theme.name().toLowerCase(Locale.ROOT) + "-" + width;
                Chromium.picture(page, name + "-" + look, true);
            }
        }
    }
}
