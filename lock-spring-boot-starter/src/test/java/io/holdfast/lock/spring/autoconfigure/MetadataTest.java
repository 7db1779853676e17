package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Parameter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.io.ClassPathResource;
import org.springframework.util.ClassUtils;

/** What editors are told of each property, and that the reference page tells the same ones. */
class MetadataTest {

    private static final Path REFERENCE = Path.of("..", "docs", "reference");
    /** Meters are called in the same way, and have a page to themselves. */
    private static final Path METERS = REFERENCE.resolve("metrics.md");

    private static final Pattern WRITTEN = Pattern.compile("`(holdfast\\.[a-z0-9.-]*[a-z0-9])`");

    private static Map<String, Map<String, Object>> properties;
    private static List<Map<String, Object>> groups;
    private static List<Map<String, Object>> hints;

    @BeforeAll
    static void read() throws IOException {
        try (InputStream json = new ClassPathResource(
                        "META-INF/spring-configuration-metadata.json", LockProperties.class.getClassLoader())
                .getInputStream()) {
            Map<String, List<Map<String, Object>>> metadata = JsonPath.read(json, "$");
            properties = metadata.get("properties").stream()
                    .collect(Collectors.toMap(
                            each -> (String) each.get("name"), each -> each, (a, b) -> a, TreeMap::new));
            groups = metadata.get("groups");
            hints = metadata.get("hints");
        }
    }

    private static boolean isMap(String property) {
        return String.valueOf(properties.get(property).get("type")).startsWith(Map.class.getName());
    }

    @Test
    void every_property_has_a_type_and_a_description_that_is_a_sentence() {
        assertThat(properties).isNotEmpty().allSatisfy((name, property) -> {
            assertThat(property.get("type")).as(name).isNotNull();
            assertThat(property.get("description")).as(name).asString().matches("[A-Z].*[.]");
        });
    }

    @Test
    void every_property_with_a_default_in_the_code_has_it_for_editors() {
        Set<String> without = new TreeSet<>();
        int defaults = 0;
        for (Map<String, Object> group : groups) {
            Class<?> type = ClassUtils.resolveClassName((String) group.get("type"), null);
            for (Parameter parameter : parametersOf(type)) {
                DefaultValue value = parameter.getAnnotation(DefaultValue.class);
                if (value != null && value.value().length > 0) {
                    defaults++;
                    String name = group.get("name") + "." + dashed(parameter.getName());
                    if (!properties.get(name).containsKey("defaultValue")) {
                        without.add(name);
                    }
                }
            }
        }
        assertThat(without).isEmpty();
        assertThat(defaults).isGreaterThan(5);
    }

    private static List<Parameter> parametersOf(Class<?> type) {
        if (!type.isRecord()) {
            return List.of();
        }
        Constructor<?>[] constructors = type.getDeclaredConstructors();
        return List.of(constructors[0].getParameters());
    }

    private static String dashed(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT);
    }

    @Test
    void hints_are_for_properties_that_there_are() {
        assertThat(hints).isNotEmpty().allSatisfy(hint -> {
            String name = (String) hint.get("name");
            String property = name.replaceAll("[.](keys|values)$", "");
            assertThat(properties).containsKey(property);
            assertThat(ConfigurationPropertyName.isValid(name)).isTrue();
        });
    }

    @Test
    void every_property_is_on_the_reference_page() throws IOException {
        String page = Files.readString(REFERENCE.resolve("properties.md"));

        assertThat(properties.keySet())
                .allSatisfy(name ->
                        assertThat(page).containsPattern("`" + Pattern.quote(name) + (isMap(name) ? "[.`]" : "`")));
    }

    @Test
    void every_property_that_the_reference_names_is_there() throws IOException {
        Set<String> unknown = new TreeSet<>();
        for (Path page : pages()) {
            written(page).filter(name -> !isKnown(name)).forEach(unknown::add);
        }
        written(METERS).forEach(unknown::remove);
        assertThat(unknown).isEmpty();
    }

    private static Stream<String> written(Path page) throws IOException {
        return WRITTEN.matcher(Files.readString(page)).results().map(match -> match.group(1));
    }

    private static List<Path> pages() throws IOException {
        try (var pages = Files.list(REFERENCE)) {
            return pages.filter(each -> each.toString().endsWith(".md")).toList();
        }
    }

    private static boolean isKnown(String name) {
        return properties.containsKey(name)
                || properties.keySet().stream()
                        .anyMatch(each -> each.startsWith(name + ".") || (isMap(each) && name.startsWith(each + ".")));
    }
}
