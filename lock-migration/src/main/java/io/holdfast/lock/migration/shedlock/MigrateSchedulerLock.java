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
 * {@code @SchedulerLock} becomes {@code @OnOneInstance} if Spring schedules the method: then it runs once for each fire time, so {@code
 * lockAtLeastFor} is dropped, and {@code lockAtMostFor} becomes the lease, which is renewed. Other methods become {@code @OnOneInstance}
 * with a minimum hold if that is all they have, or a {@code @DistributedLock} that does not wait and skips the call; they keep {@code
 * lockAtMostFor} as a limit, since only somebody who knows the work can tell whether it is intended.
 */
public final class MigrateSchedulerLock extends ScanningRecipe<Defaults> {

    static final String SCHEDULER_LOCK = "net.javacrumbs.shedlock.spring.annotation.SchedulerLock";
    private static final String SCHEDULED = "org.springframework.scheduling.annotation.Scheduled";
    private static final List<String> FIRE_TIMES = List.of("cron", "fixedRate", "fixedRateString");
    private static final List<String> DELAY = List.of("fixedDelay", "fixedDelayString");
    private static final List<String> RETURNS_BEFORE_ITS_END = List.of(
            "java.util.concurrent.Future",
            "java.util.concurrent.CompletionStage",
            "java.util.concurrent.Flow$Publisher",
            "org.reactivestreams.Publisher");
    private static final Note DROPPED = new Note(
            "lockAtLeastFor is dropped, since this job runs once for each time of its schedule; if it was to run less often, change the"
                    + " schedule",
            "shedlock.md#a-job");
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
        return "Scheduled jobs locked by ShedLock run once for each time of their schedule, with `lockAtMostFor` as a lease that is renewed. "
                + "For other methods, it becomes a lease that is not renewed, and `lockAtLeastFor` the minimum hold.";
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
            Optional<Expression> mostFor = former.get("lockAtMostFor").filter(time -> !isEmpty(time));
            Optional<Expression> leastFor = former.get("lockAtLeastFor").filter(time -> !isEmpty(time));
            if (annotation.has("name") && hasFireTimes()) {
                leastFor.ifPresent(dropped -> note(DROPPED));
                addTime(annotation, "lease", mostFor, Optional.empty()); // the default is a property
                return annotation.shortened();
            }
            Optional<String> defaultLease = defaults.of(file(), Defaults.LEASE);
            boolean atMost = mostFor.isPresent() || defaultLease.isPresent();
            boolean shorthand = !atMost && annotation.has("name") && !annotation.has("key");
            addTime(
                    annotation,
                    shorthand ? "minHold" : "minHoldString",
                    leastFor,
                    defaults.of(file(), Defaults.MIN_HOLD));
            if (annotation.has("minHold")) {
                return annotation.shortened();
            }
            addTime(annotation, "leaseString", mostFor, defaultLease);
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

        private void addTime(
                LockAnnotation annotation, String attribute, Optional<Expression> own, Optional<String> byDefault) {
            Optional<String> text = own.isPresent() ? own.flatMap(time -> Defaults.time(time, file())) : byDefault;
            if (own.isPresent() && (text.isEmpty() || text.equals(Constants.text(own.get(), file())))) {
                annotation.with(attribute, own.get(), "\"\"");
            } else if (text.isPresent()) {
                annotation.with(attribute, LockAnnotation.quoted(text.get()));
            }
        }

        private boolean isEmpty(Expression time) {
            return Constants.text(time, file()).filter(String::isEmpty).isPresent();
        }

        /**
         * Whether Holdfast knows when the method is due: it has a schedule, and has ended when it returns. One that extends its lock
         * needs a lease that is not renewed.
         */
        private boolean hasFireTimes() {
            J.MethodDeclaration method = getCursor().firstEnclosingOrThrow(J.MethodDeclaration.class);
            List<Attributes> schedules = method.getLeadingAnnotations().stream()
                    .filter(each -> TypeUtils.isOfClassType(each.getType(), SCHEDULED))
                    .map(Attributes::of)
                    .toList();
            boolean hasSchedule = (schedules.size() == 1 && has(schedules.get(0), DELAY))
                    || (!schedules.isEmpty() && schedules.stream().allMatch(each -> has(each, FIRE_TIMES)));
            JavaType.Method type = method.getMethodType();
            return hasSchedule
                    && (type == null
                            || RETURNS_BEFORE_ITS_END.stream()
                                    .noneMatch(each -> TypeUtils.isAssignableTo(each, type.getReturnType())))
                    && !String.valueOf(method.getBody()).contains("extendActiveLock");
        }

        private static boolean has(Attributes schedule, List<String> attributes) {
            return attributes.stream().anyMatch(each -> schedule.get(each).isPresent());
        }
    }
}
