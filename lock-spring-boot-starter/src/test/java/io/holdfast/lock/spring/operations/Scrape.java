package io.holdfast.lock.spring.operations;

import io.holdfast.lock.spring.operations.PromQl.LabelMatcher;
import io.holdfast.lock.spring.operations.PromQl.Selector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The samples that Prometheus finds in an application, by metric; each with its labels. */
final class Scrape {

    private static final Pattern SAMPLE = Pattern.compile("(\\w+)(?:\\{(.*)})? \\S+");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");
    private static final Set<String> FUNCTIONS =
            Set.of("sum", "min", "max", "rate", "increase", "min_over_time", "histogram_quantile");

    /** Prometheus adds these to every sample. */
    private static final Set<String> OF_TARGETS = Set.of("job", "instance");

    /** Of these values an application has its own. */
    private static final String NAME = "name";

    private final Map<String, List<Map<String, String>>> samples = new HashMap<>();

    Scrape(String text) {
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            Matcher sample = SAMPLE.matcher(line);
            if (sample.matches()) {
                samples.computeIfAbsent(sample.group(1), metric -> new ArrayList<>())
                        .add(labels(sample.group(2)));
            }
        });
    }

    private static Map<String, String> labels(String text) {
        Map<String, String> labels = new HashMap<>();
        if (text != null) {
            Matcher label = LABEL.matcher(text);
            while (label.find()) {
                labels.put(label.group(1), label.group(2));
            }
        }
        return labels;
    }

    Set<String> metrics() {
        return samples.keySet();
    }

    /** What an expression refers to and is not there, a line each. */
    List<String> missing(String expression) {
        PromQl parsed = PromQl.parse(expression);
        List<String> missing = new ArrayList<>();
        Set<String> known = new HashSet<>(OF_TARGETS);
        for (Selector selector : parsed.selectors()) {
            known.addAll(labelsOf(selector.metric()));
            missing.addAll(missing(selector));
        }
        parsed.functions().stream()
                .filter(function -> !FUNCTIONS.contains(function))
                .forEach(function -> missing.add("function " + function));
        parsed.labels().stream()
                .filter(label -> !known.contains(label))
                .forEach(label -> missing.add("label " + label));
        return missing;
    }

    private Set<String> labelsOf(String metric) {
        Set<String> labels = new HashSet<>();
        samples.getOrDefault(metric, List.of()).forEach(sample -> labels.addAll(sample.keySet()));
        return labels;
    }

    private List<String> missing(Selector selector) {
        String metric = selector.metric();
        if (!samples.containsKey(metric)) {
            return List.of("metric " + metric);
        }
        List<String> missing = new ArrayList<>();
        Set<String> labels = labelsOf(metric);
        selector.matchers().forEach((label, matcher) -> {
            if (!labels.contains(label) && !OF_TARGETS.contains(label)) {
                missing.add("label " + label + " of " + metric);
            } else {
                matcher.alternatives().stream()
                        .filter(value -> !isThere(metric, label, value))
                        .forEach(value -> missing.add(label + "=" + value + " of " + metric));
            }
        });
        if (missing.isEmpty() && samples.get(metric).stream().noneMatch(sample -> matches(selector, sample))) {
            missing.add("combination " + selector.matchers() + " of " + metric);
        }
        return missing;
    }

    /** A variable of a dashboard stands for values that are there. */
    private boolean isThere(String metric, String label, String value) {
        return value.startsWith("$")
                || samples.get(metric).stream()
                        .anyMatch(sample -> sample.getOrDefault(label, "").matches(value));
    }

    private static boolean matches(Selector selector, Map<String, String> sample) {
        return selector.matchers().entrySet().stream()
                .filter(each -> !OF_TARGETS.contains(each.getKey()) && !NAME.equals(each.getKey()))
                .allMatch(each -> matches(each.getValue(), sample.get(each.getKey())));
    }

    private static boolean matches(LabelMatcher matcher, String value) {
        return matcher.alternatives().contains(value) != matcher.isNegative();
    }
}
