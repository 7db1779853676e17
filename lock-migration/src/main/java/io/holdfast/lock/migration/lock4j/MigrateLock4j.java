package io.holdfast.lock.migration.lock4j;

import io.holdfast.lock.migration.code.Attributes;
import io.holdfast.lock.migration.code.Constants;
import io.holdfast.lock.migration.code.LockAnnotation;
import io.holdfast.lock.migration.code.Note;
import io.holdfast.lock.migration.code.NotingVisitor;
import io.holdfast.lock.migration.code.Templates;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.TypeUtils;

/** {@code @Lock4j} becomes {@code @DistributedLock}, whose lease ends when {@code expire} did. */
public final class MigrateLock4j extends ScanningRecipe<AtomicBoolean> {

    private static final String LOCK4J = "com.baomidou.lock.annotation.Lock4j";
    private static final Note COMPOSED = new Note(
            "a composed annotation is not migrated, so its methods are still locked by Lock4j",
            "lock4j.md#keys-expire-acquiretimeout");

    @Override
    public String getDisplayName() {
        return "Replace `@Lock4j` with `@DistributedLock`";
    }

    @Override
    public String getDescription() {
        return "Keys, names and times are converted; several keys become parts of one key; `expire` becomes a lease that is not renewed, and the default wait of 3 s"
                + " becomes explicit unless a file sets it. Methods with strategies, key builders or executors are kept and"
                + " marked.";
    }

    /** The additional cycle replaces dependencies that no code uses any longer. */
    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    @Override
    public AtomicBoolean getInitialValue(ExecutionContext ctx) {
        return new AtomicBoolean();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(AtomicBoolean isDefaultWaitSet) {
        return new DefaultWait(isDefaultWaitSet);
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(AtomicBoolean isDefaultWaitSet) {
        return Preconditions.check(new UsesType<>(LOCK4J, false), new Visitor(isDefaultWaitSet.get()));
    }

    private static final class Visitor extends NotingVisitor {

        private final boolean isDefaultWaitSet;

        Visitor(boolean isDefaultWaitSet) {
            this.isDefaultWaitSet = isDefaultWaitSet;
        }

        @Override
        public J.Annotation visitAnnotation(J.Annotation annotation, ExecutionContext ctx) {
            if (!TypeUtils.isOfClassType(annotation.getType(), LOCK4J)) {
                return super.visitAnnotation(annotation, ctx);
            }
            Attributes former = Attributes.of(annotation);
            List<Note> obstacles = Obstacles.in(former, file());
            obstacles.forEach(this::note);
            boolean onMethod = getCursor().getParentTreeCursor().getValue() instanceof J.MethodDeclaration;
            if (!onMethod) {
                note(COMPOSED);
            }
            return onMethod && obstacles.isEmpty() ? replaced(annotation, former) : annotation;
        }

        private J.Annotation replaced(J.Annotation annotation, Attributes former) {
            maybeAddImport(Templates.ANNOTATION);
            maybeAddImport(Templates.ON_CONTENTION);
            maybeAddImport(Templates.TIME_UNIT);
            maybeRemoveImport(LOCK4J);
            Obstacles.WITH_COUNTERPART.forEach(this::maybeRemoveImport);
            return translate(former).inPlaceOf(annotation, getCursor());
        }

        private LockAnnotation translate(Attributes former) {
            LockAnnotation annotation = new LockAnnotation();
            Optional<Expression> name = former.get("name").filter(given -> !isEmpty(given));
            name.ifPresentOrElse(
                    given -> annotation.with("name", given, "\"\""),
                    () -> annotation.with("name", LockAnnotation.quoted(methodName())));
            Keys.of(former, file()).addTo(annotation);
            Times.of(former, file()).addTo(annotation, Obstacles.isReleased(former), !isDefaultWaitSet);
            if (Obstacles.skips(former, file())) {
                annotation.with("onContention", "OnContention.SKIP");
            }
            return annotation;
        }

        private boolean isEmpty(Expression text) {
            return Constants.text(text, file()).filter(String::isBlank).isPresent();
        }

        /** Lock4j locks by class and method. */
        private String methodName() {
            return getCursor().firstEnclosingOrThrow(J.ClassDeclaration.class).getSimpleName() + "."
                    + getCursor()
                            .firstEnclosingOrThrow(J.MethodDeclaration.class)
                            .getSimpleName();
        }
    }
}
