package io.holdfast.lock.migration.build;

import static java.util.Comparator.comparingInt;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Tree;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Statement;

/**
 * Replaces what a {@code dependencies} block itself declares, but not platforms, constraints, or what the build script needs.
 */
final class GradleVisitor extends JavaIsoVisitor<ExecutionContext> {

    private static final Set<String> OTHERS = Set.of("buildscript", "pluginManagement", "dependencyManagement");

    private final Artifacts former;
    private final boolean isFormerUsed;
    private final boolean isHoldfastUsed;
    private final List<Companion> companions;

    GradleVisitor(Artifacts former, Uses uses, Path file) {
        this.former = former;
        this.isFormerUsed = uses.isFormerUsedIn(file);
        this.isHoldfastUsed = uses.isHoldfastUsedIn(file);
        this.companions = isFormerUsed ? List.of() : uses.companionsOf(file);
    }

    static boolean declares(JavaSourceFile file, Artifacts artifacts) {
        AtomicBoolean found = new AtomicBoolean();
        new JavaIsoVisitor<AtomicBoolean>() {
            @Override
            public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, AtomicBoolean p) {
                Declaration.of(call, getCursor())
                        .filter(each -> each.isAmong(artifacts))
                        .ifPresent(each -> p.set(true));
                return super.visitMethodInvocation(call, p);
            }
        }.visit(file, found);
        return found.get();
    }

    @Override
    public J.Block visitBlock(J.Block block, ExecutionContext ctx) {
        J.Block visited = super.visitBlock(block, ctx);
        return isDependencies() ? visited.withStatements(replaced(visited.getStatements())) : visited;
    }

    private boolean isDependencies() {
        List<String> around = getCursor()
                .getPathAsStream(J.MethodInvocation.class::isInstance)
                .map(each -> ((J.MethodInvocation) each).getSimpleName())
                .toList();
        return !around.isEmpty()
                && around.get(0).equals("dependencies")
                && around.stream().noneMatch(OTHERS::contains);
    }

    private List<Statement> replaced(List<Statement> statements) {
        List<Declaration> declared = statements.stream()
                .flatMap(each -> Declaration.in(each, getCursor()).stream())
                .toList();
        boolean hasStarter = declared.stream().anyMatch(Declaration::isStarter);
        Optional<Declaration> place =
                declared.stream().filter(each -> each.isAmong(former)).min(comparingInt(Declaration::rank));
        boolean isComplete = isFormerUsed && (!isHoldfastUsed || hasStarter);
        if (place.isEmpty() || isComplete) {
            return statements;
        }
        List<String> added = new ArrayList<>();
        if (!hasStarter) {
            added.add(Artifacts.GROUP + ":" + Artifacts.STARTER + ":" + Artifacts.version());
        }
        added.addAll(companions(declared));
        return replaced(statements, place.get(), added);
    }

    private List<String> companions(List<Declaration> declared) {
        List<String> left = declared.stream()
                .filter(each -> !each.isAmong(former))
                .map(Declaration::artifact)
                .toList();
        return companions.stream()
                .filter(each -> !each.isAmong(left))
                .map(each -> each.group() + ":" + each.artifact() + version(each, declared))
                .toList();
    }

    /** All artifacts of a group have the same version; an artifact without one is managed elsewhere. */
    private String version(Companion companion, List<Declaration> declared) {
        return declared.stream()
                .filter(each -> each.isAmong(former) && each.group().equals(companion.group()))
                .map(Declaration::version)
                .findFirst()
                .orElse("");
    }

    private List<Statement> replaced(List<Statement> statements, Declaration place, List<String> added) {
        List<Statement> result = new ArrayList<>();
        for (Statement each : statements) {
            Optional<Declaration> replaced = Declaration.in(each, getCursor()).filter(it -> it.isAmong(former));
            if (replaced.filter(place::equals).isPresent()) {
                added.forEach(coordinates -> result.add(declaration(coordinates, place, each)));
            }
            if (isFormerUsed || replaced.isEmpty()) {
                result.add(each);
            }
        }
        return result;
    }

    private static Statement declaration(String coordinates, Declaration place, Statement statement) {
        Expression first = place.call().getArguments().get(0);
        Expression literal = new J.Literal(
                Tree.randomId(),
                first.getPrefix(),
                first.getMarkers(),
                coordinates,
                place.quote() + coordinates + place.quote(),
                null,
                JavaType.Primitive.String);
        J.MethodInvocation call = place.call().withId(Tree.randomId()).withArguments(List.of(literal));
        return statement instanceof J.Return last && call.getPrefix().isEmpty()
                ? call.withPrefix(last.getPrefix())
                : call;
    }
}
