package io.holdfast.lock.migration.shedlock;

import io.holdfast.lock.migration.code.Attributes;
import io.holdfast.lock.migration.code.Note;
import io.holdfast.lock.migration.code.NotingVisitor;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;

/** Removes what switches ShedLock on: its annotation, and the bean of its provider if nothing else uses it. */
public final class RemoveConfiguration extends ScanningRecipe<AtomicBoolean> {

    private static final String ENABLE = "net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock";
    private static final String PROVIDER = "net.javacrumbs.shedlock.core.LockProvider";
    private static final String BEAN = "org.springframework.context.annotation.Bean";
    private static final String CONNECTION_FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";
    private static final String REDIS_PROVIDER = "net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider";

    @Override
    public String getDisplayName() {
        return "Remove ShedLock's configuration";
    }

    @Override
    public String getDescription() {
        return "Removes `@EnableSchedulerLock`, and beans of `RedisLockProvider` that nothing else uses.";
    }

    /** In which the dependencies are replaced that no code uses any more. */
    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    @Override
    public AtomicBoolean getInitialValue(ExecutionContext ctx) {
        return new AtomicBoolean();
    }

    /** Whether a variable anywhere is a provider: then something locks without the annotation. */
    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(AtomicBoolean used) {
        return new JavaIsoVisitor<>() {
            @Override
            public J.VariableDeclarations visitVariableDeclarations(
                    J.VariableDeclarations variables, ExecutionContext ctx) {
                if (isProvider(variables.getType())) {
                    used.set(true);
                }
                return super.visitVariableDeclarations(variables, ctx);
            }
        };
    }

    private static boolean isProvider(@Nullable JavaType type) {
        return TypeUtils.isAssignableTo(PROVIDER, type);
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(AtomicBoolean used) {
        return new Remover(used.get());
    }

    private static final class Remover extends NotingVisitor {

        private static final String PAGE = "shedlock.md#configuration";
        private static final Note USED = new Note("this provider is kept, because code uses it", PAGE);
        private static final Note OTHER_STORE =
                new Note("annotated jobs are now locked in Redis, not in the store of this provider", PAGE);
        private final boolean used;

        Remover(boolean used) {
            this.used = used;
        }

        @Override
        @SuppressWarnings("NullAway") // null removes it
        public J.@Nullable Annotation visitAnnotation(J.Annotation annotation, ExecutionContext ctx) {
            if (!TypeUtils.isOfClassType(annotation.getType(), ENABLE)) {
                return super.visitAnnotation(annotation, ctx);
            }
            Attributes former = Attributes.of(annotation);
            former.get("defaultLockAtMostFor")
                    .ifPresent(time -> note(new Note(
                            "holdfast.lease, which is renewed, replaces defaultLockAtMostFor = " + time, PAGE)));
            former.get("defaultLockAtLeastFor")
                    .ifPresent(time -> note(new Note(
                            "set holdfast.scheduled.min-hold, which replaces defaultLockAtLeastFor = " + time,
                            "shedlock.md#a-job")));
            maybeRemoveImport(ENABLE);
            maybeRemoveImport(ENABLE + ".InterceptMode");
            return null;
        }

        /** What was below the annotation moves up. */
        @Override
        @SuppressWarnings("NullAway") // a list that is given is returned
        public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration visited, ExecutionContext ctx) {
            J.ClassDeclaration type = super.visitClassDeclaration(visited, ctx);
            if (visited.getLeadingAnnotations().isEmpty()
                    || !type.getLeadingAnnotations().isEmpty()) {
                return type;
            }
            J.ClassDeclaration.Kind kind = type.getPadding().getKind();
            return type.getModifiers().isEmpty()
                    ? type.getPadding().withKind(kind.withPrefix(Space.EMPTY))
                    : type.withModifiers(ListUtils.mapFirst(type.getModifiers(), each -> each.withPrefix(Space.EMPTY)));
        }

        @Override
        @SuppressWarnings("NullAway") // null removes it
        public J.@Nullable MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, ExecutionContext ctx) {
            TypeTree type = method.getReturnTypeExpression();
            if (type == null || !isProvider(type.getType()) || !isBean(method)) {
                return super.visitMethodDeclaration(method, ctx);
            }
            J.NewClass provider = created(method);
            if (provider == null || used) {
                note(provider == null ? OTHER_STORE : USED);
                return method;
            }
            noteSettings(provider);
            for (String each : List.of(PROVIDER, REDIS_PROVIDER, CONNECTION_FACTORY, BEAN)) {
                maybeRemoveImport(each);
            }
            return null;
        }

        private void noteSettings(J.NewClass provider) {
            provider.getArguments().stream()
                    .skip(1)
                    .findFirst()
                    .ifPresent(environment -> noteOnClass(new Note(
                            "holdfast.redis.key-prefix replaces the environment of the provider, " + environment,
                            PAGE)));
        }

        private static boolean isBean(J.MethodDeclaration method) {
            return method.getLeadingAnnotations().stream()
                    .anyMatch(each -> TypeUtils.isOfClassType(each.getType(), BEAN));
        }

        /** The only statement of the method has to return a new provider on Redis. */
        private static J.@Nullable NewClass created(J.MethodDeclaration method) {
            return method.getBody() != null
                            && method.getBody().getStatements().size() == 1
                            && method.getBody().getStatements().get(0) instanceof J.Return result
                            && result.getExpression() instanceof J.NewClass provider
                            && TypeUtils.isOfClassType(provider.getType(), REDIS_PROVIDER)
                    ? provider
                    : null;
        }
    }
}
