package io.holdfast.lock.spring.operations;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard of {@code docs/operations}, as Grafana imports it. */
final class Dashboard {

    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((.+), (\\w+)\\)");

    final JsonNode json = STRICT.readTree(Path.of("..", "docs", "operations", "grafana-dashboard.json"));

    /** All of them; those that show nothing but a heading are rows. */
    List<JsonNode> panels() {
        return list(json.get("panels"));
    }

    /** Those that show something. */
    List<JsonNode> charts() {
        return panels().stream().filter(panel -> !isRow(panel)).toList();
    }

    static boolean isRow(JsonNode panel) {
        return panel.get("type").asString().equals("row");
    }

    static List<JsonNode> targets(JsonNode panel) {
        return list(panel.get("targets"));
    }

    List<JsonNode> variables() {
        return list(json.get("templating").get("list"));
    }

    /** What panels and variables ask; a variable's label counts as one that is grouped by. */
    List<String> expressions() {
        Stream<String> shown =
                charts().stream().flatMap(panel -> targets(panel).stream()).map(Dashboard::expression);
        return Stream.concat(shown, variables().stream().map(Dashboard::expressionOf))
                .toList();
    }

    static String expression(JsonNode target) {
        return target.get("expr").asString();
    }

    private static String expressionOf(JsonNode variable) {
        Matcher query = LABEL_VALUES.matcher(variable.get("query").get("query").asString());
        if (!query.matches()) {
            throw new IllegalStateException("Not understood: " + variable);
        }
        return "sum by (" + query.group(2) + ") (" + query.group(1) + ")";
    }

    static List<JsonNode> list(JsonNode array) {
        List<JsonNode> list = new ArrayList<>();
        array.forEach(list::add);
        return list;
    }
}
