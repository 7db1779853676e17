package io.holdfast.lock.sample.browser;

import com.microsoft.playwright.Page;

/**
 * For how long the scripts of the locks' page run: for one sample, from when its JSON has been parsed until it is shown, and for
 * one movement of the lines. Unlike times between frames, these hardly depend on what else the machine does.
 */
final class ScriptTimes {

    private static final String WATCH =
            """
            window.scriptTimes = { samples: [], movements: [] };
            let parsed = 0;
            const json = Response.prototype.json;
            Response.prototype.json = async function () {
              const body = await json.call(this);
              parsed = performance.now();
              return body;
            };
            const setTimer = window.setTimeout;
            window.setTimeout = (action, delay) => {
              if (delay === 2000) scriptTimes.samples.push(performance.now() - parsed);
              return setTimer(action, delay);
            };
            const onFrame = window.requestAnimationFrame;
            window.requestAnimationFrame = action => onFrame(time => {
              const begun = performance.now();
              action(time);
              scriptTimes.movements.push(performance.now() - begun);
            });
            """;

    private static final String DESCRIBE =
            """
            () => Object.entries(scriptTimes).map(([name, times]) => {
              times.sort((a, b) => a - b);
              return `${times.length} ${name}: median ${times[times.length >> 1].toFixed(1)} ms, longest ${times.at(-1).toFixed(1)} ms`;
            }).join('; ')
            """;

    private ScriptTimes() {}

    /** Before the page is opened. */
    static void watch(Page page) {
        page.addInitScript(WATCH);
    }

    static void awaitSamples(Page page, int count) {
        // Not with every frame, which is what is measured.
        page.waitForFunction(
                "count => scriptTimes.samples.length >= count",
                count,
                new Page.WaitForFunctionOptions().setPollingInterval(500));
    }

    static String describe(Page page) {
        return (String) page.evaluate(DESCRIBE);
    }
}
