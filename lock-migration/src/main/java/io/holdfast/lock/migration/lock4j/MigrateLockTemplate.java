package io.holdfast.lock.migration.lock4j;

import static java.util.Collections.disjoint;

import io.holdfast.lock.migration.code.Creations;
import io.holdfast.lock.migration.code.Templates;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.ChangeType;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;

/** Lock4j's {@code LockTemplate} becomes Holdfast's, and a {@code LockInfo} a {@code LockHandle}. */
public final class MigrateLockTemplate extends ScanningRecipe<Map<Path, MigrateLockTemplate.TemplateFile>> {

    @Override
    public String getDisplayName() {
        return "Replace Lock4j's `LockTemplate`";
    }

    @Override
    public String getDescription() {
        return "Calls to `lock` become `tryAcquire`, with a lease that is not renewed, and `releaseLock` becomes `close`. "
                + "Files that use Lock4j in other ways, and classes that these create, are not changed.";
    }

    /** The additional cycle replaces dependencies that no code uses any longer. */
    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    @Override
    public Map<Path, TemplateFile> getInitialValue(ExecutionContext ctx) {
        return new HashMap<>();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Map<Path, TemplateFile> files) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (tree instanceof JavaSourceFile file) {
                    files.put(file.getSourcePath(), TemplateFile.of(file));
                }
                return tree;
            }
        };
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Map<Path, TemplateFile> files) {
        Set<Path> translatable = TemplateFile.translatable(files);
        return Preconditions.check(new UsesType<>(TemplateUses.TEMPLATE, false), new Visitor(translatable));
    }

    /**
     * What a file does with the template.
     *
     * @param declared the classes in the file
     * @param created the classes to which it passes a template, which may be a mock
     */
    record TemplateFile(boolean isTranslatable, Set<String> declared, Set<String> created) {

        static TemplateFile of(JavaSourceFile file) {
            Map<String, String> created = new HashMap<>();
            new Creations(TemplateUses.TEMPLATE).visit(file, created);
            Set<String> declared = new HashSet<>();
            new JavaIsoVisitor<Set<String>>() {
                @Override
                public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, Set<String> names) {
                    if (type.getType() != null) {
                        names.add(type.getType().getFullyQualifiedName());
                    }
                    return super.visitClassDeclaration(type, names);
                }
            }.visit(file, declared);
            return new TemplateFile(TemplateUses.areTranslatable(file), declared, created.keySet());
        }

        /** The files to translate, without those whose classes get the template from a file that keeps the former one. */
        static Set<Path> translatable(Map<Path, TemplateFile> files) {
            Map<Path, TemplateFile> translatable = new HashMap<>(files);
            translatable.values().removeIf(each -> !each.isTranslatable);
            while (translatable
                    .values()
                    .removeIf(each -> files.entrySet().stream()
                            .filter(other -> !translatable.containsKey(other.getKey()))
                            .anyMatch(other -> !disjoint(other.getValue().created, each.declared)))) {
                // A file that has just been removed may pass the former template to others.
            }
            return translatable.keySet();
        }
    }

    private static final class Visitor extends JavaVisitor<ExecutionContext> {

        private final Set<Path> translatable;

        private final List<TreeVisitor<?, ExecutionContext>> steps = List.of(
                new CallsVisitor(),
                new ChangeType(TemplateUses.TEMPLATE, Templates.LOCK_TEMPLATE, true).getVisitor(),
                new ChangeType(TemplateUses.INFO, Templates.LOCK_HANDLE, true).getVisitor());

        Visitor(Set<Path> translatable) {
            this.translatable = translatable;
        }

        @Override
        public J preVisit(J tree, ExecutionContext ctx) {
            if (tree instanceof JavaSourceFile file && translatable.contains(file.getSourcePath())) {
                steps.forEach(this::doAfterVisit);
            }
            stopAfterPreVisit();
            return tree;
        }
    }
}
