package io.holdfast.lock.migration.build;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** Which source files use the former library, Holdfast, and companions; and the folders of the modules that contain them. */
final class Uses {

    private static final String HOLDFAST = "io.holdfast.lock.";

    private final Set<Path> modules = new HashSet<>();
    private final Set<Path> declaring = new HashSet<>();
    private final Map<Path, Boolean> former = new HashMap<>();
    private final Set<Path> holdfast = new HashSet<>();
    private final Map<Companion, Set<Path>> companions = new LinkedHashMap<>();

    void addModule(Path buildFile, boolean declaresFormer) {
        modules.add(folder(buildFile));
        if (declaresFormer) {
            declaring.add(folder(buildFile));
        }
    }

    void addSource(JavaSourceFile file, Predicate<String> isFormer, List<Companion> ofFormer) {
        former.put(file.getSourcePath(), uses(file, isFormer));
        if (uses(file, name -> name.startsWith(HOLDFAST))) {
            holdfast.add(file.getSourcePath());
        }
        for (Companion each : ofFormer) {
            if (uses(file, name -> name.startsWith(each.packages()))) {
                companions.computeIfAbsent(each, none -> new HashSet<>()).add(file.getSourcePath());
            }
        }
    }

    void addXml(Path file, boolean usesFormer) {
        former.put(file, usesFormer);
    }

    private static boolean uses(JavaSourceFile file, Predicate<String> isMeant) {
        return file.getImports().stream().map(J.Import::getTypeName).anyMatch(isMeant)
                || file.getTypesInUse().getTypesInUse().stream().anyMatch(type -> isMeant(type, isMeant));
    }

    private static boolean isMeant(JavaType type, Predicate<String> isMeant) {
        JavaType.FullyQualified named = TypeUtils.asFullyQualified(type);
        return named != null && isMeant.test(named.getFullyQualifiedName());
    }

    boolean isFormerUsedIn(Path buildFile) {
        return former.entrySet().stream().anyMatch(each -> each.getValue() && isFor(each.getKey(), buildFile));
    }

    boolean isHoldfastUsedIn(Path buildFile) {
        return holdfast.stream().anyMatch(each -> isFor(each, buildFile));
    }

    /** The dependencies that code of the module needs once the former library is gone; each artifact once. */
    List<Companion> companionsOf(Path buildFile) {
        Map<String, Companion> needed = new LinkedHashMap<>();
        companions.forEach((each, files) -> {
            if (files.stream().anyMatch(file -> isFor(file, buildFile))) {
                needed.putIfAbsent(each.artifact(), each);
            }
        });
        return List.copyOf(needed.values());
    }

    /** A module that does not declare the library gets it from another module, which may be any that declares it. */
    private boolean isFor(Path source, Path buildFile) {
        Path module = module(source);
        return module.equals(folder(buildFile)) || !declaring.contains(module);
    }

    /** A file belongs to the innermost module that contains it. */
    private Path module(Path source) {
        Path innermost = source.getParent();
        while (innermost != null && !modules.contains(innermost)) {
            innermost = innermost.getParent();
        }
        return innermost == null ? Path.of("") : innermost;
    }

    private static Path folder(Path file) {
        return file.getParent() == null ? Path.of("") : file.getParent();
    }
}
