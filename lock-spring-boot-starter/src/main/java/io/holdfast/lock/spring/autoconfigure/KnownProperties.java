package io.holdfast.lock.spring.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * The properties under {@code lock}, as the metadata for editors names them.
 *
 * @param names all of them
 * @param maps those below which a name is the user's
 */
record KnownProperties(Set<String> names, Set<String> maps) {

    static final String METADATA = "META-INF/spring-configuration-metadata.json";

    private static final Logger log = LoggerFactory.getLogger(KnownProperties.class);

    /** None, if there is no metadata to be read, as in a native image. */
    static KnownProperties read(@Nullable ClassLoader loader) {
        KnownProperties known = new KnownProperties(new TreeSet<>(), new HashSet<>());
        try {
            for (var metadata :
                    new PathMatchingResourcePatternResolver(loader).getResources("classpath*:" + METADATA)) {
                try (InputStream in = metadata.getInputStream()) {
                    known.add(new String(in.readAllBytes(), StandardCharsets.UTF_8));
                }
            }
        } catch (IOException | RuntimeException e) {
            log.debug("The names of properties cannot be read, so misspelt ones are not found", e);
        }
        return known;
    }

    /**
     * Those of one instance. Editors' metadata ends at the map that instances are in, so they are taken from the type.
     *
     * @param instance with {@code lock.instances} in front
     */
    static KnownProperties ofInstance(ConfigurationPropertyName instance) {
        Set<String> names = Arrays.stream(LockInstanceProperties.class.getRecordComponents())
                .map(component -> instance + "." + DataObjectPropertyName.toDashedForm(component.getName()))
                .collect(Collectors.toCollection(TreeSet::new));
        return new KnownProperties(names, Set.of());
    }

    private void add(String json) {
        if (!json.contains("\"lock.")) {
            return;
        }
        Object properties = JsonParserFactory.getJsonParser().parseMap(json).get("properties");
        for (Object each : properties instanceof List<?> list ? list : List.of()) {
            if (each instanceof Map<?, ?> property && property.get("name") instanceof String name) {
                addProperty(name, String.valueOf(property.get("type")));
            }
        }
    }

    private void addProperty(String name, String type) {
        if (name.startsWith("lock.")) {
            names.add(name);
            if (type.startsWith(Map.class.getName())) {
                maps.add(name);
            }
        }
    }

    boolean isEmpty() {
        return names.isEmpty();
    }

    /** Whether something reads the property, however it is written: Spring Boot takes no notice of dashes. */
    boolean covers(String name) {
        String plain = plain(name);
        return names.stream().anyMatch(each -> plain(each).equals(plain))
                || maps.stream()
                        .map(KnownProperties::plain)
                        .anyMatch(map -> plain.startsWith(map + '.') || plain.startsWith(map + '['));
    }

    /** Whether properties have that in front, below {@code lock}. */
    boolean isGroup(String prefix) {
        String plain = plain(prefix);
        return !plain.equals("lock")
                && names.stream().anyMatch(name -> plain(name).startsWith(plain + '.'));
    }

    private static String plain(String name) {
        return name.replace("-", "");
    }
}
