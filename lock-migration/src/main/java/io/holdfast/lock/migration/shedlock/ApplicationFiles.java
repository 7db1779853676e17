package io.holdfast.lock.migration.shedlock;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.properties.AddProperty;
import org.openrewrite.properties.PropertiesParser;
import org.openrewrite.properties.tree.Properties;
import org.openrewrite.yaml.MergeYaml;
import org.openrewrite.yaml.tree.Yaml;

/** The applications' configuration files, to which missing properties are added. */
final class ApplicationFiles {

    private static final String RESOURCES = "src/main/resources";
    private static final List<String> NAMES = List.of("application.properties", "application.yml", "application.yaml");

    private final TreeSet<Path> found = new TreeSet<>();

    void add(SourceFile file) {
        if (file instanceof Properties || file instanceof Yaml) {
            found.add(file.getSourcePath());
        }
    }

    private Optional<Path> of(Path module) {
        return NAMES.stream()
                .map(name -> module.resolve(RESOURCES).resolve(name))
                .filter(found::contains)
                .findFirst();
    }

    /** A new file for each module that has properties but no file. */
    List<SourceFile> missing(Map<Path, Map<String, String>> modules) {
        return modules.entrySet().stream()
                .filter(each -> of(each.getKey()).isEmpty())
                .map(each -> file(each.getKey(), each.getValue()))
                .toList();
    }

    private static SourceFile file(Path module, Map<String, String> properties) {
        String text = properties.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue() + "\n")
                .collect(Collectors.joining());
        SourceFile file =
                PropertiesParser.builder().build().parse(text).findFirst().orElseThrow();
        return file.withSourcePath(module.resolve(RESOURCES).resolve(NAMES.get(0)));
    }

    SourceFile withProperties(SourceFile file, Map<Path, Map<String, String>> modules, ExecutionContext ctx) {
        SourceFile changed = file;
        for (Map.Entry<Path, Map<String, String>> module : modules.entrySet()) {
            if (of(module.getKey()).filter(file.getSourcePath()::equals).isPresent()) {
                changed = with(changed, module.getValue(), ctx);
            }
        }
        return changed;
    }

    private static SourceFile with(SourceFile file, Map<String, String> properties, ExecutionContext ctx) {
        if (file instanceof Yaml) {
            return (SourceFile) new MergeYaml("$", yaml(properties), true, null, null, null, null, null)
                    .getVisitor()
                    .visitNonNull(file, ctx);
        }
        SourceFile changed = file;
        for (Map.Entry<String, String> each : properties.entrySet()) {
            changed = (SourceFile) new AddProperty(each.getKey(), each.getValue(), null, null, false, null, null)
                    .getVisitor()
                    .visitNonNull(changed, ctx);
        }
        return changed;
    }

    /** Each property is a name within a group below {@code holdfast}. */
    private static String yaml(Map<String, String> properties) {
        Map<String, String> groups = new TreeMap<>();
        properties.forEach((property, value) -> {
            String[] parts = property.split("\\.", -1);
            groups.merge(parts[1], "    " + parts[2] + ": " + value + "\n", String::concat);
        });
        return groups.entrySet().stream()
                .map(each -> "  " + each.getKey() + ":\n" + each.getValue())
                .collect(Collectors.joining("", "holdfast:\n", ""));
    }
}
