package io.holdfast.lock.sample.browser;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.jobs.Jobs;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.Scheduled;
import tools.jackson.databind.json.JsonMapper;

/** Jobs on the page of {@code /actuator/locks}. */
class JobsPageTest extends BrowserTest {

    private static final JsonMapper JSON = new JsonMapper();

    static class Nightly {

        @Scheduled(fixedRate = 3_600_000)
        @OnOneInstance(name = "nightly-report")
        public void report() {}

        @Scheduled(cron = "0 0 3 1 1 *")
        @OnOneInstance(name = "yearly-report")
        public void yearly() {}
    }

    @BeforeAll
    static void start() {
        startInstances(
                context -> context.registerBean(Nightly.class), "--management.endpoint.locks.access=read-only");
    }

    private static Map<String, Object> run(String outcome, Instant fireTime, int attempt) {
        Map<String, Object> run = new TreeMap<>(Map.of(
                "outcome", outcome,
                "fireTime", fireTime.toString(),
                "attempt", attempt,
                "start", fireTime.plusMillis(4).toString(),
                "fencingToken", 1795917600004001L,
                "instance", "1@shop-7c9d5b8f6-x2x" + attempt));
        if (!outcome.equals("RUNNING")) {
            run.put("end", fireTime.plusSeconds(7).toString());
        }
        if (outcome.equals("FAILED")) {
            run.put("failure", "IllegalStateException: the report of the day before has not been written");
        }
        return run;
    }

    private static Map<String, Object> job(String name, boolean paused, String... outcomes) {
        Instant latest = Instant.now().minusSeconds(65);
        List<Map<String, Object>> runs = new ArrayList<>();
        for (int i = 0; i < outcomes.length; i++) {
            runs.add(run(outcomes[i], latest.minus(Duration.ofHours(i)), 1 + i % 2));
        }
        return new TreeMap<>(Map.of(
                "name", name,
                "method", "Jobs." + name,
                "schedule", "cron 0 0 * * * MON-FRI (Europe/Berlin)",
                "nextFireTime", latest.plus(Duration.ofHours(1)).toString(),
                "paused", paused,
                "runs", runs));
    }

    private static String of(List<Map<String, Object>> jobs) {
        return JSON.writeValueAsString(Map.of("jobs", jobs));
    }

    /** In all states, with short and long names, few and many runs. */
    private static String twelve() {
        String[] mixed = IntStream.range(0, 20)
                .mapToObj(i -> i % 7 == 3 ? "FAILED" : i % 9 == 5 ? "LOST" : i == 11 ? "SKIPPED" : "SUCCEEDED")
                .toArray(String[]::new);
        List<Map<String, Object>> jobs = new ArrayList<>(List.of(
                job("billing", false, mixed),
                job("cache-refresh", true, "SKIPPED", "SKIPPED", "SUCCEEDED"),
                job("clean-up", false, "RUNNING", "SUCCEEDED", "SUCCEEDED"),
                job("export-of-all-customers-to-the-data-warehouse-of-the-region", false, mixed),
                job("fx-rates", false, "FAILED", "FAILED", "SUCCEEDED"),
                job("inventory", false, "LOST", "SUCCEEDED"),
                job("new-job", false)));
        for (int i = 8; i <= 12; i++) {
            jobs.add(job("sync-" + i, false, mixed));
        }
        jobs.get(2).remove("nextFireTime");
        return of(jobs);
    }

    private static Page stubbed(int width, AtomicReference<String> report) {
        Page page = chromium.page(width, ColorScheme.LIGHT);
        page.route(
                address -> address.contains("scope=jobs"),
                route -> route.fulfill(new Route.FulfillOptions()
                        .setStatus(report.get().startsWith("{\"error") ? 503 : 200)
                        .setContentType("application/json")
                        .setBody(report.get())));
        page.route(
                address -> address.contains("scope=all"),
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody(Reports.many(5))));
        page.navigate(url(one, "/actuator/locks"));
        assertThat(page.locator("#state")).hasText("Live");
        return page;
    }

    private static Locator row(Page page, String job) {
        return page.locator(".job", text(job));
    }

    @Test
    void twelve_jobs_are_shown_wide_and_narrow_light_and_dark() throws IOException {
        Page page = stubbed(1280, new AtomicReference<>(twelve()));

        assertThat(page.locator(".job")).hasCount(12);
        assertThat(row(page, "billing").locator("ol li")).hasCount(20);
        assertThat(row(page, "billing").locator(".o-FAILED")).hasCount(3);
        assertThat(row(page, "billing").locator("ol li").last())
                .hasText(Pattern.compile("\\d+ \\w+, \\d\\d:\\d\\d:\\d\\d: succeeded after 7.0 s on 1@shop-7c9d5b8f6-x2x1"));
        assertThat(row(page, "clean-up")).containsText(Pattern.compile("running for [1-9]\\d? min \\d\\d s"));
        assertThat(row(page, "clean-up")).containsText("after this run");
        assertThat(row(page, "fx-rates")).containsText("failed");
        assertThat(row(page, "fx-rates")).containsText("IllegalStateException: the report of the day");
        assertThat(row(page, "cache-refresh")).containsText("paused");
        assertThat(row(page, "new-job")).containsText("has not run");
        assertThat(row(page, "sync-12")).containsText(Pattern.compile("next in 5\\d min"));
        Looks.check(page, "jobs", 1280);
    }

    @Test
    void outcomes_differ_in_shape() {
        Page page = stubbed(1280, new AtomicReference<>(twelve()));

        Assertions.assertThat(page.locator("#outcomes path").evaluateAll("all => new Set(all.map(each => each.getAttribute('d'))).size"))
                .isEqualTo(5);
    }

    @Test
    void job_is_paused_and_resumed_for_all_instances() {
        Page page = openLocks(one, 1280, ColorScheme.LIGHT);
        Locator button = row(page, "nightly-report").locator("button");

        button.focus();
        page.keyboard().press("Enter");

        assertThat(button).hasText("Resume");
        assertThat(page.locator("#announcer")).hasText("Job nightly-report is paused on all instances.");
        Assertions.assertThat(two.bean(Jobs.class).get("nightly-report").paused()).isTrue();
        Assertions.assertThat(two.bean(Jobs.class).get("yearly-report").paused()).isFalse();
        assertThat(button).isFocused();
        page.waitForResponse(response -> response.url().contains("scope=jobs"), () -> {});
        assertThat(button).isFocused();
        assertThat(row(page, "nightly-report")).containsText("paused");

        button.click();

        assertThat(button).hasText("Pause");
        Assertions.assertThat(two.bean(Jobs.class).get("nightly-report").paused()).isFalse();
    }

    @Test
    void nothing_can_be_paused_without_write_access() {
        Page page = openLocks(two, 1280, ColorScheme.DARK);

        assertThat(page.locator(".job")).hasCount(2);
        assertThat(page.locator(".job button")).hasCount(0);
    }

    @Test
    void page_without_jobs_does_not_mention_them_until_there_are_some() {
        AtomicReference<String> report = new AtomicReference<>(of(List.of()));
        Page page = stubbed(1280, report);
        page.waitForResponse(response -> response.url().contains("scope=jobs"), () -> {});
        assertThat(page.locator("#jobs")).isHidden();

        report.set(of(List.of(job("late", false))));

        assertThat(row(page, "late")).isVisible();
    }

    @Test
    void jobs_that_cannot_be_read_do_not_hide_the_locks() {
        AtomicReference<String> report = new AtomicReference<>(twelve());
        Page page = stubbed(1280, report);
        assertThat(page.locator(".job")).hasCount(12);

        report.set("{\"error\": \"The data of the lock of job 'x' is not that of a job\"}");

        assertThat(page.locator("#jobs-problem"))
                .hasText("The jobs cannot be shown. The data of the lock of job 'x' is not that of a job");
        assertThat(page.locator("#state")).hasText("Live");
        assertThat(page.locator(".row:not([hidden])")).hasCount(5);
        report.set(twelve());
        assertThat(page.locator("#jobs-problem")).isHidden();
        chromium.forgetErrors();
    }

    @Test
    void job_that_looks_like_markup_is_text() {
        Map<String, Object> hostile = job("x", false, "FAILED");
        hostile.put("name", Reports.HOSTILE);
        hostile.put("schedule", Reports.HOSTILE);
        Page page = stubbed(1280, new AtomicReference<>(of(List.of(hostile))));

        assertThat(page.locator(".job-name")).containsText("<img src=x");
        assertThat(page.locator("img")).hasCount(0);
        assertThat(page).hasTitle("Locks");
    }
}
