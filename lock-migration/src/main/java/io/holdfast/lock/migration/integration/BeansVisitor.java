package io.holdfast.lock.migration.integration;

import io.holdfast.lock.migration.code.Note;
import io.holdfast.lock.migration.code.NotingVisitor;
import io.holdfast.lock.migration.code.Parameters;
import io.holdfast.lock.migration.code.Templates;
import io.holdfast.lock.migration.code.Variables;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.java.tree.TypeUtils;

/** Creates Holdfast's registry in bean methods, from a template passed as a parameter. */
final class BeansVisitor extends NotingVisitor {

    private static final Note RENEWED = new Note(
            "a lock is renewed while it is held; previously it expired after its time to live",
            "spring-integration.md#the-bean");
    static final String NAME = "lockTemplate";
    private static final String CALL =
            "new HoldfastLockRegistry(#{any(io.holdfast.lock.api.LockTemplate)}, #{any(String)}";

    @Override
    public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration visited, ExecutionContext ctx) {
        boolean creates = RegistryBeans.isBean(visited) && createsRegistry(visited);
        J.MethodDeclaration method = super.visitMethodDeclaration(visited, ctx);
        if (!creates) {
            return method;
        }
        J.MethodDeclaration migrated = withTemplate(method.withBody(shortened(method.getBody()))
                .withLeadingAnnotations(
                        ListUtils.map(method.getLeadingAnnotations(), BeansVisitor::withoutDestroyMethod)));
        if (!isRenewed(visited)) {
            note(RENEWED);
        }
        return migrated;
    }

    /** Holdfast's registry has nothing to destroy, and Spring requires that a named destroy method exists. */
    private static J.Annotation withoutDestroyMethod(J.Annotation annotation) {
        List<Expression> arguments = annotation.getArguments();
        if (arguments == null || !TypeUtils.isOfClassType(annotation.getType(), RegistryBeans.BEAN)) {
            return annotation;
        }
        List<Expression> left =
                arguments.stream().filter(each -> !isDestroyMethod(each)).toList();
        if (left.size() == arguments.size()) {
            return annotation;
        }
        return annotation.withArguments(
                left.isEmpty() ? null : ListUtils.mapFirst(left, each -> each.withPrefix(Space.EMPTY)));
    }

    private static boolean isDestroyMethod(Expression argument) {
        return argument instanceof J.Assignment assignment
                && assignment.getVariable() instanceof J.Identifier name
                && name.getSimpleName().equals("destroyMethod");
    }

    static boolean createsRegistry(J.MethodDeclaration method) {
        boolean[] found = {false};
        new JavaIsoVisitor<Integer>() {
            @Override
            public J.NewClass visitNewClass(J.NewClass creation, Integer p) {
                found[0] |= RegistryBeans.isFormer(creation.getType());
                return super.visitNewClass(creation, p);
            }
        }.visit(method, 0);
        return found[0];
    }

    private static boolean isRenewed(J.MethodDeclaration method) {
        boolean[] found = {false};
        new JavaIsoVisitor<Integer>() {
            @Override
            public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, Integer p) {
                found[0] |= RegistryBeans.SETTER.matches(call)
                        && call.getSimpleName().equals(RegistryBeans.RENEWAL);
                return super.visitMethodInvocation(call, p);
            }
        }.visit(method, 0);
        return found[0];
    }

    @Override
    @SuppressWarnings("NullAway") // null removes it
    public J.@Nullable MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext ctx) {
        if (RegistryBeans.SETTER.matches(call)) {
            maybeRemoveImport(RegistryBeans.FORMER + ".RedisLockType");
            maybeRemoveImport("org.springframework.scheduling.TaskScheduler");
            return null;
        }
        return super.visitMethodInvocation(call, ctx);
    }

    @Override
    public J.NewClass visitNewClass(J.NewClass creation, ExecutionContext ctx) {
        if (!RegistryBeans.isFormer(creation.getType())) {
            return super.visitNewClass(creation, ctx);
        }
        maybeAddImport(Templates.REGISTRY);
        maybeAddImport(Templates.DURATION);
        List<Expression> arguments = creation.getArguments();
        List<Object> parameters = new ArrayList<>(arguments);
        parameters.set(0, Parameters.template(NAME, owner()));
        String time = arguments.size() == 2 ? "" : time(arguments.get(2));
        return Templates.of(CALL + time + ")", Templates.REGISTRY, Templates.DURATION)
                .apply(getCursor(), creation.getCoordinates().replace(), parameters.toArray());
    }

    private @Nullable JavaType owner() {
        return getCursor().firstEnclosingOrThrow(J.MethodDeclaration.class).getMethodType();
    }

    private static String time(Expression time) {
        return TypeUtils.isOfClassType(time.getType(), Templates.DURATION)
                ? ", #{any(java.time.Duration)}"
                : ", Duration.ofMillis(#{any(long)})";
    }

    /** Removes a variable that is only returned. */
    private static J.@Nullable Block shortened(J.@Nullable Block body) {
        if (body == null || body.getStatements().size() != 2) {
            return body;
        }
        List<Statement> statements = body.getStatements();
        if (statements.get(0) instanceof J.VariableDeclarations declaration
                && declaration.getVariables().size() == 1
                && statements.get(1) instanceof J.Return result
                && Variables.isSame(
                        Variables.of(result.getExpression()),
                        declaration.getVariables().get(0).getVariableType())) {
            Expression value = declaration.getVariables().get(0).getInitializer();
            return body.withStatements(List.of(result.withExpression(value).withPrefix(declaration.getPrefix())));
        }
        return body;
    }

    private J.MethodDeclaration withTemplate(J.MethodDeclaration method) {
        maybeRemoveImport(RegistryBeans.CONNECTION_FACTORY);
        maybeAddImport(Templates.LOCK_TEMPLATE);
        return Parameters.withTemplate(method, updateCursor(method), Parameters.used(method), 0, NAME);
    }
}
