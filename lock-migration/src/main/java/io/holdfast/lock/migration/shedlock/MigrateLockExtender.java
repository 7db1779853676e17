package io.holdfast.lock.migration.shedlock;

import io.holdfast.lock.migration.code.Note;
import io.holdfast.lock.migration.code.NotingVisitor;
import io.holdfast.lock.migration.code.Templates;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaTemplate;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.search.UsesMethod;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/** {@code LockExtender} becomes {@code LockHandle.extend}. */
public final class MigrateLockExtender extends Recipe {

    private static final String EXTENDER = "net.javacrumbs.shedlock.core.LockExtender";
    private static final String SIGNATURE = EXTENDER + " extendActiveLock(java.time.Duration, java.time.Duration)";
    private static final MethodMatcher EXTEND = new MethodMatcher(SIGNATURE);
    private static final Note LEAST = new Note(
            "an extension has no minimum in Holdfast: give the annotation a minHold for the whole run, counted from the grant, and extend without one",
            "shedlock.md#lockassert-lockextender");
    private static final Note ELSEWHERE = new Note(
            "the lock that this extends must have a lease that is not renewed, and no maxHold",
            "shedlock.md#lockassert-lockextender");

    @Override
    public String getDisplayName() {
        return "Replace `LockExtender` with `LockHandle.extend`";
    }

    @Override
    public String getDescription() {
        return "The lock of the running method is extended through its handle. Extensions with a minimum are marked.";
    }

    /** The additional cycle replaces dependencies that no code uses any longer. */
    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor() {
        return Preconditions.check(new UsesMethod<>(SIGNATURE), new Visitor());
    }

    private static final class Visitor extends NotingVisitor {

        private final JavaTemplate extend = Templates.of(
                "LockContext.current().orElseThrow().extend(#{any(java.time.Duration)})", Templates.LOCK_CONTEXT);

        @Override
        public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext ctx) {
            if (!EXTEND.matches(call)) {
                return super.visitMethodInvocation(call, ctx);
            }
            if (!isZero(call.getArguments().get(1))) {
                note(LEAST);
                return call;
            }
            if (!isInLockedMethod()) {
                note(ELSEWHERE);
            }
            maybeAddImport(Templates.LOCK_CONTEXT);
            maybeRemoveImport(EXTENDER);
            maybeRemoveImport(EXTENDER + ".extendActiveLock");
            maybeRemoveImport("java.time.Duration.ZERO");
            return extend.apply(
                    getCursor(),
                    call.getCoordinates().replace(),
                    call.getArguments().get(0));
        }

        /** Durations are compared as text, since the types do not reveal the value of {@code Duration.ZERO}. */
        private static boolean isZero(Expression duration) {
            return duration.toString().equals("Duration.ZERO")
                    || duration.toString().equals("ZERO");
        }

        private boolean isInLockedMethod() {
            J.MethodDeclaration method = getCursor().firstEnclosing(J.MethodDeclaration.class);
            return method != null
                    && method.getLeadingAnnotations().stream()
                            .anyMatch(each -> each.getType() != null
                                    && (each.getType().toString().equals(MigrateSchedulerLock.SCHEDULER_LOCK)
                                            || each.getType().toString().equals(Templates.ANNOTATION)));
        }
    }
}
