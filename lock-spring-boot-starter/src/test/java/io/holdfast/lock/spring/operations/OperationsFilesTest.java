package io.holdfast.lock.spring.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The dashboard can be imported and read; the alert rules are explained, and tested both ways. */
class OperationsFilesTest {

    private static final Path PAGE = Path.of("..", "docs", "operations.md");
    private static final int WIDTH = 24;
    private static final Pattern LEGEND = Pattern.compile("\\{\\{(\\w+)}}");
    private static final Pattern LABEL = Pattern.compile("\\$labels\\.(\\w+)");
    private static final Pattern BUCKETS = Pattern.compile("(holdfast_\\w+)_seconds_bucket\\{");
    private static final Pattern HISTOGRAM = Pattern.compile("percentiles-histogram\\.([a-z.]+)=true");
    private static final Pattern VARIABLE = Pattern.compile("\\$(\\w+)");

    private final Dashboard dashboard = new Dashboard();

    private static Stream<String> found(Pattern pattern, String text) {
        return pattern.matcher(text).results().map((MatchResult match) -> match.group(1));
    }

    @Test
    void panels_have_ids_of_their_own() {
        assertThat(dashboard.panels())
                .extracting(panel -> panel.get("id").asInt())
                .hasSizeGreaterThan(20)
                .doesNotHaveDuplicates();
    }

    @Test
    void panels_do_not_overlap_and_fit_the_page() {
        Set<String> taken = new HashSet<>();
        for (JsonNode panel : dashboard.panels()) {
            JsonNode place = panel.get("gridPos");
            int left = place.get("x").asInt();
            int top = place.get("y").asInt();
            assertThat(left + place.get("w").asInt()).as("%s", panel).isBetween(1, WIDTH);
            for (int x = left; x < left + place.get("w").asInt(); x++) {
                for (int y = top; y < top + place.get("h").asInt(); y++) {
                    assertThat(taken.add(x + " " + y))
                            .as("%s at %s %s", panel, x, y)
                            .isTrue();
                }
            }
        }
    }

    @Test
    void panels_say_what_they_show() {
        assertThat(dashboard.panels())
                .allSatisfy(panel -> assertThat(panel.get("title").asString()).isNotBlank())
                .extracting(panel -> panel.get("title").asString())
                .doesNotHaveDuplicates();
        assertThat(dashboard.charts()).allSatisfy(panel -> {
            assertThat(panel.get("description").asString()).endsWith(".");
            assertThat(panel.get("fieldConfig").get("defaults").get("unit").asString())
                    .isIn("s", "ops", "percentunit", "short");
            assertThat(Dashboard.targets(panel)).isNotEmpty();
        });
    }

    @Test
    void what_needs_histograms_says_so() {
        assertThat(dashboard.charts()).allSatisfy(panel -> {
            Set<String> needed = Dashboard.targets(panel).stream()
                    .flatMap(target -> found(BUCKETS, Dashboard.expression(target)))
                    .map(meter -> meter.replace('_', '.'))
                    .collect(Collectors.toSet());
            assertThat(found(HISTOGRAM, panel.get("description").asString())).containsExactlyElementsOf(needed);
        });
    }

    @Test
    void data_source_is_chosen_at_import() {
        JsonNode input = dashboard.json.get("__inputs").get(0);
        assertThat(input.get("pluginId").asString()).isEqualTo("prometheus");
        String source = "${" + input.get("name").asString() + "}";

        assertThat(dashboard.json.get("id").isNull()).isTrue();
        Stream<JsonNode> asking = Stream.concat(
                dashboard.variables().stream(),
                dashboard.charts().stream()
                        .flatMap(panel -> Stream.concat(Stream.of(panel), Dashboard.targets(panel).stream())));
        assertThat(asking)
                .isNotEmpty()
                .extracting(each -> each.get("datasource").get("uid").asString())
                .containsOnly(source);
    }

    @Test
    void variables_that_expressions_use_exist() {
        List<String> variables = dashboard.variables().stream()
                .map(variable -> variable.get("name").asString())
                .toList();
        assertThat(dashboard.expressions())
                .flatMap(expression -> found(VARIABLE, expression).toList())
                .filteredOn(variable -> !variable.startsWith("__"))
                .isNotEmpty()
                .isSubsetOf(variables);
        assertThat(variables).contains("job", "instance", "name");
    }

    @Test
    void legends_use_labels_that_are_left_by_the_expression() {
        assertThat(dashboard.charts())
                .allSatisfy(panel -> assertThat(Dashboard.targets(panel))
                        .allSatisfy(target -> assertThat(
                                        found(LEGEND, target.get("legendFormat").asString()))
                                .isSubsetOf(PromQl.parse(Dashboard.expression(target))
                                        .labels())));
    }

    @Test
    void each_alert_has_a_test_in_which_it_fires_and_one_in_which_it_does_not() {
        List<String> names =
                AlertRules.alerts().stream().map(AlertRules.Alert::name).toList();
        assertThat(names).hasSizeGreaterThan(8).doesNotHaveDuplicates();
        assertThat(AlertRules.tested(true)).containsExactlyInAnyOrderElementsOf(names);
        assertThat(AlertRules.tested(false)).containsExactlyInAnyOrderElementsOf(names);
    }

    @Test
    void each_alert_tells_people_what_they_need_and_nothing_that_is_not_there() {
        assertThat(AlertRules.alerts()).allSatisfy(alert -> {
            assertThat(alert.severity()).isIn("critical", "warning", "info");
            assertThat(alert.annotations()).containsOnlyKeys("summary", "description", "runbook_url");
            assertThat(found(LABEL, alert.annotations().toString()))
                    .isSubsetOf(PromQl.parse(alert.expression()).labels());
        });
    }

    @Test
    void each_alert_has_its_section_on_the_page() throws IOException {
        List<String> headings = Files.readString(PAGE)
                .lines()
                .filter(line -> line.startsWith("### Holdfast"))
                .map(line -> line.substring(4))
                .toList();
        assertThat(AlertRules.alerts())
                .extracting(AlertRules.Alert::name)
                .containsExactlyInAnyOrderElementsOf(headings);
        assertThat(AlertRules.alerts())
                .allSatisfy(alert -> assertThat(alert.annotations().get("runbook_url"))
                        .endsWith("/docs/operations.md#" + alert.name().toLowerCase(Locale.ROOT)));
    }
}
