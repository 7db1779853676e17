package io.holdfast.lock.migration.build;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Option;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.xml.tree.Xml;

/**
 * Replaces dependencies on another library with the Holdfast starter, in {@code pom.xml} and Gradle build files. As long as code
 * of the module uses the other library, the dependencies on it stay. Nothing is resolved, so this works without a network.
 */
public final class ReplaceDependency extends ScanningRecipe<Uses> {

    @Option(
            displayName = "Artifacts",
            description =
                    "The dependencies to replace, as group:artifact; an artifact that ends with an asterisk matches all"
                            + " artifacts with that prefix.",
            example = "net.javacrumbs.shedlock:*")
    private final List<String> artifacts;

    @Option(
            displayName = "Packages",
            description = "The prefix of the type names in the former library.",
            example = "net.javacrumbs.shedlock.")
    private final List<String> packages;

    @Option(
            displayName = "Namespaces",
            description = "XML namespaces of the former library.",
            example = "http://www.springframework.org/schema/integration/redis",
            required = false)
    private final @Nullable List<String> namespaces;

    @Option(
            displayName = "Companions",
            description =
                    "Transitive dependencies of the former library, as `package. = group:artifact`: a project whose code"
                            + " uses such a package declares the artifact once the library is removed.",
            example = "org.springframework.data.redis. = org.springframework.data:spring-data-redis",
            required = false)
    private final @Nullable List<String> companions;

    public ReplaceDependency(
            List<String> artifacts,
            List<String> packages,
            @Nullable List<String> namespaces,
            @Nullable List<String> companions) {
        this.artifacts = artifacts;
        this.packages = packages;
        this.namespaces = namespaces;
        this.companions = companions;
    }

    public List<String> getArtifacts() {
        return artifacts;
    }

    public List<String> getPackages() {
        return packages;
    }

    public @Nullable List<String> getNamespaces() {
        return namespaces;
    }

    public @Nullable List<String> getCompanions() {
        return companions;
    }

    @Override
    public String getDisplayName() {
        return "Replace dependencies with the Holdfast starter";
    }

    @Override
    public String getDescription() {
        return "Removes dependencies on a library that the code of the module no longer uses, and adds"
                + " `io.holdfast:lock-spring-boot-starter`, and any transitive dependencies of the library that the"
                + " code still uses.";
    }

    /** The dependencies that code still uses are known only after the other recipes have run. */
    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    @Override
    public Uses getInitialValue(ExecutionContext ctx) {
        return new Uses();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Uses uses) {
        Artifacts former = new Artifacts(artifacts);
        List<Companion> ofFormer = companions == null
                ? List.of()
                : companions.stream().map(Companion::parse).toList();
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (tree instanceof Xml.Document pom && isPom(pom.getSourcePath())) {
                    uses.addModule(pom.getSourcePath(), PomVisitor.declares(pom, former));
                } else if (tree instanceof Xml.Document file) {
                    uses.addXml(file.getSourcePath(), isUsedIn(file));
                } else if (tree instanceof JavaSourceFile file && isGradle(file.getSourcePath())) {
                    uses.addModule(file.getSourcePath(), GradleVisitor.declares(file, former));
                } else if (tree instanceof JavaSourceFile file) {
                    uses.addSource(file, ReplaceDependency.this::isFormer, ofFormer);
                }
                return tree;
            }
        };
    }

    /** Bean definitions refer to classes of the library, or use its own tags. */
    private boolean isUsedIn(Xml.Document file) {
        String text = file.printAll();
        return packages.stream().anyMatch(text::contains)
                || (namespaces != null && namespaces.stream().anyMatch(text::contains));
    }

    private boolean isFormer(String type) {
        return packages.stream().anyMatch(type::startsWith);
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Uses uses) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                Artifacts former = new Artifacts(artifacts);
                if (tree instanceof Xml.Document pom && isPom(pom.getSourcePath())) {
                    return new PomVisitor(former, uses, pom.getSourcePath()).visit(pom, ctx);
                }
                if (tree instanceof JavaSourceFile file && isGradle(file.getSourcePath())) {
                    return new GradleVisitor(former, uses, file.getSourcePath()).visit(file, ctx);
                }
                return tree;
            }
        };
    }

    private static boolean isPom(Path file) {
        return file.endsWith("pom.xml");
    }

    private static boolean isGradle(Path file) {
        return file.toString().endsWith(".gradle") || file.toString().endsWith(".gradle.kts");
    }
}
