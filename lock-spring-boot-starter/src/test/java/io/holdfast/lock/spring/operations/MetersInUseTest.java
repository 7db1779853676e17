package io.holdfast.lock.spring.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the dashboard and the alert rules ask for is what a real application is scraped for, and nothing documented is left out. */
@Timeout(120)
class MetersInUseTest {

    private static final Path REFERENCE = Path.of("..", "docs", "reference", "metrics.md");
    private static final Pattern METER = Pattern.compile("`(holdfast\\.[a-z.]+)`");

    private static final String BUCKET = "_bucket";

    private static Scrape scrape;
    private static final Dashboard DASHBOARD = new Dashboard();

    @BeforeAll
    static void scrape() {
        try (BusyApplication application = new BusyApplication()) {
            scrape = new Scrape(application.scrapeAfterEverything());
        }
    }

    @Test
    void dashboard_asks_for_what_is_there() {
        assertThat(DASHBOARD.expressions())
                .isNotEmpty()
                .allSatisfy(expression -> assertThat(scrape.missing(expression)).isEmpty());
    }

    @Test
    void alerts_ask_for_what_is_there() {
        assertThat(AlertRules.alerts())
                .isNotEmpty()
                .allSatisfy(
                        alert -> assertThat(scrape.missing(alert.expression())).isEmpty());
    }

    @Test
    void documented_meters_are_on_the_dashboard() throws IOException {
        Set<String> shown = DASHBOARD.expressions().stream()
                .flatMap(expression -> PromQl.parse(expression).selectors().stream())
                .map(PromQl.Selector::metric)
                .collect(Collectors.toSet());
        List<String> documented = documented().toList();

        assertThat(documented).contains("holdfast.acquire", "holdfast.acquire.active", "holdfast.forced.releases");
        assertThat(documented).allSatisfy(meter -> assertThat(shown).anyMatch(exported(meter)));
    }

    /** The application has the settings of the page. */
    @Test
    void recommended_histograms_are_those_that_the_dashboard_shows() {
        Set<String> shown = DASHBOARD.expressions().stream()
                .flatMap(expression -> PromQl.parse(expression).selectors().stream())
                .map(PromQl.Selector::metric)
                .filter(metric -> metric.endsWith(BUCKET))
                .collect(Collectors.toSet());

        assertThat(shown).isNotEmpty();
        assertThat(scrape.metrics().stream()
                        .filter(metric -> metric.startsWith("holdfast_") && metric.endsWith(BUCKET)))
                .containsExactlyInAnyOrderElementsOf(shown);
    }

    /** Those of the table, and the one that observations bring. */
    private static Stream<String> documented() throws IOException {
        String page = Files.readString(REFERENCE);
        Stream<String> ofTable = page.lines()
                .filter(line -> line.startsWith("| `holdfast."))
                .flatMap(line -> METER.matcher(line).results().limit(1).map(meter -> meter.group(1)));
        Stream<String> ofObservations =
                METER.matcher(page).results().map(meter -> meter.group(1)).filter("holdfast.acquire.active"::equals);
        return Stream.concat(ofTable, ofObservations).distinct();
    }

    private static Predicate<String> exported(String meter) {
        return Pattern.compile(meter.replace('.', '_') + "(_total|_seconds(_(count|sum|max|bucket))?)?")
                .asMatchPredicate();
    }

    @Test
    void every_exported_metric_is_of_a_documented_meter() throws IOException {
        List<String> documented = documented().toList();
        assertThat(scrape.metrics().stream().filter(metric -> metric.startsWith("holdfast_")))
                .hasSizeGreaterThan(documented.size())
                .allSatisfy(metric -> assertThat(documented)
                        .anySatisfy(meter -> assertThat(metric).startsWith(meter.replace('.', '_'))));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sum(rate(holdfast_aquire_seconds_count[5m]))",
                "sum(rate(holdfast_acquire_count[5m]))",
                "holdfast_lost_total{reason=\"expired\"}",
                "holdfast_lost_total{cause=\"expire\"}",
                "holdfast_lost_total{cause=~\"expired|revokd\"}",
                "holdfast_held{name=\"others\"}",
                "holdfast_held{name!~\"leaders-.*\"}",
                "sum by (key) (holdfast_held)",
                "sum by (name) (holdfast_wakeups_total)",
                "holdfast_held unless on (application) holdfast_waiting",
                "rat(holdfast_wakeups_total[5m])",
                "holdfast_acquire_seconds_count{outcome=\"acquired\",error=\"LockStoreException\"}",
                "label_values(holdfast_held, name)"
            })
    void misspelled_expression_is_found(String expression) {
        assertThat(scrape.missing(expression)).isNotEmpty();
    }
}
