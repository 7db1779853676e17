package io.holdfast.lock.spring.operations;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;

/** The alert rules of {@code docs/operations}, and the unit tests that promtool runs on them. */
final class AlertRules {

    private static final Path DIRECTORY = Path.of("..", "docs", "operations");

    /**
     * One alert.
     *
     * @param name what it is called
     * @param expression when it fires
     * @param severity its label
     * @param annotations what it tells people
     */
    record Alert(String name, String expression, String severity, Map<String, String> annotations) {}

    private static Map<String, List<Map<String, ?>>> read(String file) {
        LoaderOptions strict = new LoaderOptions();
        strict.setAllowDuplicateKeys(false);
        try {
            return new Yaml(strict).load(Files.readString(DIRECTORY.resolve(file)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T> T get(Map<String, ?> map, String key) {
        return (T) map.get(key);
    }

    static List<Alert> alerts() {
        return read("prometheus-rules.yml").get("groups").stream()
                .flatMap(group -> AlertRules.<List<Map<String, ?>>>get(group, "rules").stream())
                .map(rule -> new Alert(
                        get(rule, "alert"),
                        get(rule, "expr"),
                        AlertRules.<Map<String, String>>get(rule, "labels").get("severity"),
                        get(rule, "annotations")))
                .toList();
    }

    /** The alerts that a unit test expects to fire, or not to. */
    static Set<String> tested(boolean firing) {
        return read("prometheus-rules-test.yml").get("tests").stream()
                .flatMap(test -> AlertRules.<List<Map<String, ?>>>get(test, "alert_rule_test").stream())
                .filter(test -> AlertRules.<List<?>>get(test, "exp_alerts").isEmpty() != firing)
                .map(test -> AlertRules.<String>get(test, "alertname"))
                .collect(Collectors.toSet());
    }
}
