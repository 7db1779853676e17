package io.holdfast.lock.migration.shedlock;

import io.holdfast.lock.migration.code.Attributes;
import io.holdfast.lock.migration.code.Constants;
import io.holdfast.lock.migration.code.LockAnnotation;
import io.holdfast.lock.migration.code.Names;
import io.holdfast.lock.migration.code.Note;
import io.holdfast.lock.migration.code.NotingVisitor;
import io.holdfast.lock.migration.code.Templates;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/**
 * {@code @SchedulerLock} becomes {@code @OnOneInstance}, or a {@code @DistributedLock} that does not wait and skips the job. A job keeps
 * its {@code lockAtMostFor}, since only somebody who knows the job can tell whether the limit is intended; the shorthand has none.
 */
public final class MigrateSchedulerLock extends ScanningRecipe<Defaults> {

    static final String SCHEDULER_LOCK = "net.javacrumbs.shedlock.spring.annotation.SchedulerLock";
    private static final String SCHEDULED = "org.springframework.scheduling.annotation.Scheduled";
    private static final Note COMPOSED = new Note(
            "methods with this annotation are still locked by ShedLock: a composed annotation is not migrated",
            "shedlock.md#a-job");
    private static final Note PRIMITIVE = new Note(
            "this method is still locked by ShedLock: a method with a primitive result cannot be skipped",
            "shedlock.md#what-else-is-different");
    private static final List<String> TYPES =
            List.of(Templates.ANNOTATION, Templates.ON_ONE_INSTANCE, Templates.ON_CONTENTION);
    private static final Note CONSTANT =
            new Note("the name must not contain a colon, or an expression #{…}", "shedlock.md#names-with-parameters");

    @Override
    public String getDisplayName() {
        return "Replace `@SchedulerLock` with `@OnOneInstance` or `@DistributedLock`";
    }

    @Override
    public String getDescription() {
        return "Jobs locked by ShedLock become jobs locked by Holdfast: an instance that does not get the lock skips the job. "
                + "`lockAtMostFor` becomes a lease that is not renewed, and `lockAtLeastFor` the minimum hold.";
    }

    /** The additional cycle replaces dependencies that no code uses any longer. */
    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    @Override
    public Defaults getInitialValue(ExecutionContext ctx) {
        return new Defaults();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Defaults defaults) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (tree instanceof JavaSourceFile) {
                    defaults.visit(tree, 0);
                }
                return tree;
            }
        };
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Defaults defaults) {
        return Preconditions.check(new UsesType<>(SCHEDULER_LOCK, false), new Visitor(defaults));
    }

    /** Why the annotation is left as it is; empty if it is migrated, or is another annotation. */
    static Optional<Note> obstacle(J.Annotation annotation, Cursor cursor) {
        if (!TypeUtils.isOfClassType(annotation.getType(), SCHEDULER_LOCK)) {
            return Optional.empty();
        }
        if (!(cursor.getParentTreeCursor().getValue() instanceof J.MethodDeclaration method)) {
            return Optional.of(COMPOSED);
        }
        boolean isPrimitive = method.getMethodType() != null
                && method.getMethodType().getReturnType() instanceof JavaType.Primitive result
                && result != JavaType.Primitive.Void;
        return isPrimitive
                ? Optional.of(PRIMITIVE)
                : Names.taken(cursor.firstEnclosingOrThrow(JavaSourceFile.class), "", TYPES)
                        .map(MigrateSchedulerLock::taken);
    }

    private static Note taken(String name) {
        return new Note(
                "this method is still locked by ShedLock: " + name + " is the name of another type in this file",
                "shedlock.md#what-else-is-different");
    }

    private static final class Visitor extends NotingVisitor {

        private final Defaults defaults;

        Visitor(Defaults defaults) {
            this.defaults = defaults;
        }

        @Override
        public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext ctx) {
            Optional<Note> obstacle = obstacle(annotation, getCursor());
            obstacle.ifPresent(this::note);
            if (obstacle.isPresent() || !TypeUtils.isOfClassType(annotation.getType(), SCHEDULER_LOCK)) {
                return super.visitAnnotation(annotation, ctx);
            }
            maybeAddImport(Templates.ANNOTATION);
            maybeAddImport(Templates.ON_ONE_INSTANCE);
            maybeAddImport(Templates.ON_CONTENTION);
            maybeRemoveImport(SCHEDULER_LOCK);
            return translate(Attributes.of(annotation)).inPlaceOf(annotation, getCursor());
        }

        private LockAnnotation translate(Attributes former) {
            LockAnnotation annotation = new LockAnnotation();
            former.get("name").ifPresent(name -> addName(annotation, name));
            boolean atMost = hasTime(former.get("lockAtMostFor"), Defaults.LEASE);
            boolean shorthand = !atMost && annotation.has("name") && !annotation.has("key");
            addTime(
                    annotation,
                    shorthand ? "minHold" : "minHoldString",
                    former.get("lockAtLeastFor"),
                    Defaults.MIN_HOLD);
            if (annotation.has("minHold")) {
                return annotation.shortened();
            }
            addTime(annotation, "leaseString", former.get("lockAtMostFor"), Defaults.LEASE);
            if (atMost) {
                annotation.with("renew", "false");
            }
            return annotation.with("waitFor", "0").with("onContention", "OnContention.SKIP");
        }

        private void addName(LockAnnotation annotation, Expression name) {
            Optional<String> text = Constants.text(name, file());
            if (text.isEmpty()) {
                note(CONSTANT);
                annotation.with("name", name, "\"\"");
            } else if (name instanceof J.Literal
                    || !LockName.parse(text.get()).name().equals(text.get())) {
                LockName.parse(text.get()).addTo(annotation);
            } else {
                annotation.with("name", name, "\"\"");
            }
        }

        /** Whether the annotation has that time: its own, or the default, which properties set only for scheduled methods. */
        private boolean hasTime(Optional<Expression> given, String property) {
            return given.filter(time -> !isEmpty(time)).isPresent()
                    || (!isScheduled() && defaults.of(file(), property).isPresent());
        }

        private void addTime(LockAnnotation annotation, String attribute, Optional<Expression> given, String property) {
            Optional<Expression> own = given.filter(time -> !isEmpty(time));
            Optional<String> text = own.isPresent()
                    ? own.flatMap(time -> Defaults.time(time, file()))
                    : isScheduled() ? Optional.empty() : defaults.of(file(), property);
            if (own.isPresent() && (text.isEmpty() || text.equals(Constants.text(own.get(), file())))) {
                annotation.with(attribute, own.get(), "\"\"");
            } else if (text.isPresent()) {
                annotation.with(attribute, LockAnnotation.quoted(text.get()));
            }
        }

        private boolean isEmpty(Expression time) {
            return Constants.text(time, file()).filter(String::isEmpty).isPresent();
        }

        private boolean isScheduled() {
            J.MethodDeclaration method = getCursor().firstEnclosingOrThrow(J.MethodDeclaration.class);
            return method.getLeadingAnnotations().stream()
                    .anyMatch(each -> TypeUtils.isOfClassType(each.getType(), SCHEDULED));
        }
    }
}
