package io.holdfast.lock.migration.shedlock;

import io.holdfast.lock.migration.code.Attributes;
import io.holdfast.lock.migration.code.Constants;
import io.holdfast.lock.migration.code.Note;
import io.holdfast.lock.migration.code.NotingVisitor;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Removes the code that enables ShedLock, unless a method keeps its annotation: the annotation on the configuration, and the
 * provider bean if nothing else uses it. Their settings become properties of Holdfast.
 */
public final class RemoveConfiguration extends ScanningRecipe<RemoveConfiguration.Found> {

    private static final String PROVIDER = "net.javacrumbs.shedlock.core.LockProvider";
    private static final String PAGE = "shedlock.md#configuration";
    private static final String KEY_PREFIX = "holdfast.redis.key-prefix";
    private static final String BEAN = "org.springframework.context.annotation.Bean";
    private static final String CONNECTION_FACTORY = "org.springframework.data.redis.connection.RedisConnectionFactory";
    private static final String REDIS_PROVIDER = "net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider";

    @Override
    public String getDisplayName() {
        return "Remove ShedLock's configuration";
    }

    @Override
    public String getDescription() {
        return "Removes `@EnableSchedulerLock`, whose default times become properties, and beans of `RedisLockProvider`, unless something"
                + " is still locked by ShedLock.";
    }

    /** The additional cycle replaces dependencies that no code uses any longer. */
    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    /** What is known from all sources together. */
    static final class Found {
        private final Defaults defaults = new Defaults();
        private final ApplicationFiles files = new ApplicationFiles();
        private boolean isShedLockUsed;
        private boolean isProviderUsed;
    }

    @Override
    public Found getInitialValue(ExecutionContext ctx) {
        return new Found();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Found found) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (tree instanceof JavaSourceFile) {
                    found.defaults.visit(tree, 0);
                    new Uses().visit(tree, found);
                } else if (tree instanceof SourceFile file) {
                    found.files.add(file);
                }
                return tree;
            }
        };
    }

    /** A variable that holds a provider, or a call that returns one, means that something locks without the annotation. */
    private static final class Uses extends JavaIsoVisitor<Found> {

        @Override
        public J.VariableDeclarations visitVariableDeclarations(J.VariableDeclarations variables, Found found) {
            found.isProviderUsed |= isProvider(variables.getType());
            return super.visitVariableDeclarations(variables, found);
        }

        @Override
        public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, Found found) {
            found.isProviderUsed |= returnsProvider(call.getMethodType());
            return super.visitMethodInvocation(call, found);
        }

        @Override
        public J.MemberReference visitMemberReference(J.MemberReference reference, Found found) {
            found.isProviderUsed |= returnsProvider(reference.getMethodType());
            return super.visitMemberReference(reference, found);
        }

        /** Builders of ShedLock are part of a bean. */
        private static boolean returnsProvider(JavaType.@Nullable Method method) {
            return method != null
                    && isProvider(method.getReturnType())
                    && !method.getDeclaringType().getFullyQualifiedName().startsWith("net.javacrumbs.");
        }

        @Override
        public J.Annotation visitAnnotation(J.Annotation annotation, Found found) {
            found.isShedLockUsed |=
                    MigrateSchedulerLock.obstacle(annotation, getCursor()).isPresent();
            return super.visitAnnotation(annotation, found);
        }

        @Override
        public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, Found found) {
            J.NewClass provider = provider(method);
            JavaSourceFile file = getCursor().firstEnclosingOrThrow(JavaSourceFile.class);
            if (provider != null) {
                environment(provider, file).ifPresent(text -> found.defaults.add(file, KEY_PREFIX, text));
            }
            return super.visitMethodDeclaration(method, found);
        }
    }

    @Override
    public Collection<? extends SourceFile> generate(Found found, ExecutionContext ctx) {
        return found.files.missing(found.defaults.modules());
    }

    /** The environment of the provider, if it is known here and can be a prefix. */
    private static Optional<String> environment(J.NewClass provider, JavaSourceFile file) {
        return provider.getArguments().stream()
                .skip(1)
                .findFirst()
                .flatMap(each -> Constants.text(each, file))
                .filter(text -> text.matches("[\\w.-]+"));
    }

    private static boolean isProvider(@Nullable JavaType type) {
        return TypeUtils.isAssignableTo(PROVIDER, type);
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Found found) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (tree instanceof JavaSourceFile) {
                    return new Remover(found).visit(tree, ctx);
                }
                return tree instanceof SourceFile file
                        ? found.files.withProperties(file, found.defaults.modules(), ctx)
                        : tree;
            }
        };
    }

    private static final class Remover extends NotingVisitor {

        private static final Note USED = new Note("this provider is kept, because code uses it", PAGE);
        private static final Note OTHER_STORE =
                new Note("annotated jobs are now locked in Redis, not in the store of this provider", PAGE);
        private final Found found;

        Remover(Found found) {
            this.found = found;
        }

        @Override
        @SuppressWarnings("NullAway") // null removes it
        public J.@Nullable Annotation visitAnnotation(J.Annotation annotation, ExecutionContext ctx) {
            if (!TypeUtils.isOfClassType(annotation.getType(), Defaults.ENABLE) || found.isShedLockUsed) {
                return super.visitAnnotation(annotation, ctx);
            }
            Attributes former = Attributes.of(annotation);
            former.get("defaultLockAtMostFor")
                    .filter(time -> Constants.text(time, file()).isEmpty())
                    .ifPresent(time -> note(new Note(
                            "set " + Defaults.LEASE + ", which replaces defaultLockAtMostFor = " + time, PAGE)));
            former.get("defaultLockAtLeastFor")
                    .filter(time -> Constants.text(time, file()).isEmpty())
                    .ifPresent(time -> note(new Note(
                            "methods without a schedule need a minHold in place of defaultLockAtLeastFor = " + time,
                            PAGE)));
            maybeRemoveImport(Defaults.ENABLE);
            maybeRemoveImport(Defaults.ENABLE + ".InterceptMode");
            return null;
        }

        /** The code below the annotation moves up. */
        @Override
        @SuppressWarnings("NullAway") // the result is null only for a null list
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
            if (!isProviderBean(method)) {
                return super.visitMethodDeclaration(method, ctx);
            }
            J.NewClass provider = created(method);
            if (provider == null || found.isProviderUsed || found.isShedLockUsed) {
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
                    .filter(each -> environment(provider, file()).isEmpty())
                    .ifPresent(environment -> noteOnClass(new Note(
                            "holdfast.redis.key-prefix replaces the environment of the provider, " + environment,
                            PAGE)));
        }
    }

    private static boolean isProviderBean(J.MethodDeclaration method) {
        TypeTree type = method.getReturnTypeExpression();
        return type != null
                && isProvider(type.getType())
                && method.getLeadingAnnotations().stream()
                        .anyMatch(each -> TypeUtils.isOfClassType(each.getType(), BEAN));
    }

    private static J.@Nullable NewClass provider(J.MethodDeclaration method) {
        return isProviderBean(method) ? created(method) : null;
    }

    /** The Redis provider that the method creates; returning it must be its only statement. */
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
