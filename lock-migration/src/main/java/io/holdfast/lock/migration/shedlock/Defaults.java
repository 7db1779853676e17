package io.holdfast.lock.migration.shedlock;

import io.holdfast.lock.migration.code.Attributes;
import io.holdfast.lock.migration.code.Constants;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.TypeUtils;

/**
 * The defaults that {@code @EnableSchedulerLock} sets for all jobs, as Holdfast's properties, by the module of the annotated class. Scheduled
 * jobs need no minimum: that is for other methods only, to which the properties do not apply.
 */
final class Defaults extends JavaIsoVisitor<Integer> {

    static final String ENABLE = "net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock";
    static final String LEASE = "holdfast.scheduled.lease";
    static final String MIN_HOLD = "holdfast.scheduled.min-hold";

    private final Map<Path, Map<String, String>> modules = new LinkedHashMap<>();

    /** The properties to be set. */
    Map<Path, Map<String, String>> modules() {
        Map<Path, Map<String, String>> properties = new LinkedHashMap<>();
        modules.forEach((module, all) -> {
            Map<String, String> own = new LinkedHashMap<>(all);
            own.remove(MIN_HOLD);
            if (!own.isEmpty()) {
                properties.put(module, own);
            }
        });
        return properties;
    }

    void add(JavaSourceFile file, String property, String value) {
        modules.computeIfAbsent(module(file.getSourcePath()), none -> new LinkedHashMap<>())
                .put(property, value);
    }

    /** For methods in the file that are not scheduled. */
    Optional<String> of(JavaSourceFile file, String property) {
        Map<String, String> own = modules.get(module(file.getSourcePath()));
        Set<Map<String, String>> all = new HashSet<>(modules.values());
        Map<String, String> meant =
                own == null && all.size() == 1 ? all.iterator().next() : own;
        return Optional.ofNullable(meant).map(each -> each.get(property));
    }

    /** The folder with {@code src}, if the build has one. */
    static Path module(Path source) {
        for (int i = 0; i < source.getNameCount(); i++) {
            if (source.getName(i).toString().equals("src")) {
                return i == 0 ? Path.of("") : source.subpath(0, i);
            }
        }
        return Path.of("");
    }

    @Override
    public J.Annotation visitAnnotation(J.Annotation annotation, Integer p) {
        if (TypeUtils.isOfClassType(annotation.getType(), ENABLE)) {
            JavaSourceFile file = getCursor().firstEnclosingOrThrow(JavaSourceFile.class);
            Attributes attributes = Attributes.of(annotation);
            time(attributes, "defaultLockAtMostFor", file).ifPresent(time -> add(file, LEASE, time));
            time(attributes, "defaultLockAtLeastFor", file).ifPresent(time -> add(file, MIN_HOLD, time));
        }
        return super.visitAnnotation(annotation, p);
    }

    private static Optional<String> time(Attributes attributes, String name, JavaSourceFile file) {
        return attributes.get(name).flatMap(time -> time(time, file));
    }

    /** In ShedLock, text without a unit is in milliseconds; empty text means no time. */
    static Optional<String> time(Expression time, JavaSourceFile file) {
        return Constants.text(time, file)
                .filter(text -> !text.isEmpty())
                .map(text -> text.matches("\\d+") ? text + "ms" : text);
    }
}
