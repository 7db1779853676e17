package io.holdfast.lock.migration.shedlock;

import io.holdfast.lock.migration.code.Attributes;
import io.holdfast.lock.migration.code.Constants;
import io.holdfast.lock.migration.code.LockAnnotation;
import io.holdfast.lock.migration.code.Note;
import io.holdfast.lock.migration.code.NotingVisitor;
import io.holdfast.lock.migration.code.Templates;
import java.util.Optional;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** {@code @SchedulerLock} becomes {@code @DistributedLock}, which does not wait and skips the job. */
public final class MigrateSchedulerLock extends Recipe {

    static final String SCHEDULER_LOCK = "net.javacrumbs.shedlock.spring.annotation.SchedulerLock";
    private static final MethodMatcher EXTEND =
            new MethodMatcher("net.javacrumbs.shedlock.core.LockExtender extendActiveLock(..)");
    private static final Note COMPOSED = new Note(
            "a composed annotation is not migrated, so its methods are not locked by Holdfast", "shedlock.md#a-job");
    private static final Note PRIMITIVE = new Note(
            "a method with a primitive result cannot be skipped, and causes startup to fail",
            "shedlock.md#what-else-is-different");
    private static final Note CONSTANT =
            new Note("the name must not contain a colon, or an expression #{…}", "shedlock.md#names-with-parameters");

    @Override
    public String getDisplayName() {
        return "Replace `@SchedulerLock` with `@DistributedLock`";
    }

    @Override
    public String getDescription() {
        return "Jobs that ShedLock locks are locked by Holdfast: a node that does not get the lock skips the job. "
                + "`lockAtMostFor` becomes the limit of the renewed lease, and `lockAtLeastFor` the minimum hold.";
    }

    /** In which the dependencies are replaced that no code uses any more. */
    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor() {
        return Preconditions.check(new UsesType<>(SCHEDULER_LOCK, false), new Visitor());
    }

    private static final class Visitor extends NotingVisitor {

        @Override
        public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext ctx) {
            if (!TypeUtils.isOfClassType(annotation.getType(), SCHEDULER_LOCK)) {
                return super.visitAnnotation(annotation, ctx);
            }
            if (!(getCursor().getParentTreeCursor().getValue() instanceof J.MethodDeclaration method)) {
                note(COMPOSED);
                return annotation;
            }
            noteIfPrimitive(method);
            maybeAddImport(Templates.ANNOTATION);
            maybeAddImport(Templates.ON_CONTENTION);
            maybeRemoveImport(SCHEDULER_LOCK);
            return translate(Attributes.of(annotation), extendsItsLock(method)).inPlaceOf(annotation, getCursor());
        }

        private void noteIfPrimitive(J.MethodDeclaration method) {
            JavaType.Method type = method.getMethodType();
            if (type != null
                    && type.getReturnType() instanceof JavaType.Primitive result
                    && result != JavaType.Primitive.Void) {
                note(PRIMITIVE);
            }
        }

        private LockAnnotation translate(Attributes former, boolean extended) {
            LockAnnotation annotation = new LockAnnotation();
            former.get("name").ifPresent(name -> addName(annotation, name));
            former.get("lockAtLeastFor").ifPresent(time -> addTime(annotation, "minHoldString", time));
            former.get("lockAtMostFor").ifPresent(time -> addLimit(annotation, time, extended));
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

        private void addLimit(LockAnnotation annotation, Expression time, boolean extended) {
            addTime(annotation, extended ? "leaseString" : "maxHoldString", time);
            if (extended) {
                annotation.with("renew", "false");
            }
        }

        /** Text without a unit counts milliseconds in ShedLock, and causes startup to fail in Holdfast. */
        private void addTime(LockAnnotation annotation, String attribute, Expression time) {
            Optional<String> text = Constants.text(time, file());
            if (text.filter(String::isEmpty).isPresent()) {
                return;
            }
            Optional<String> number = text.filter(value -> value.matches("\\d+"));
            if (number.isPresent()) {
                annotation.with(attribute, LockAnnotation.quoted(number.get() + "ms"));
            } else {
                annotation.with(attribute, time, "\"\"");
            }
        }
    }

    static boolean extendsItsLock(J.MethodDeclaration method) {
        boolean[] found = {false};
        new JavaIsoVisitor<Integer>() {
            @Override
            public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, Integer p) {
                found[0] |= EXTEND.matches(call);
                return super.visitMethodInvocation(call, p);
            }
        }.visit(method, 0);
        return found[0];
    }
}
