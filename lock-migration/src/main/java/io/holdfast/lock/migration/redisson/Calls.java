package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.code.Constants;
import io.holdfast.lock.migration.code.Note;
import io.holdfast.lock.migration.code.Variables;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.Flag;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** What calls to a lock mean for the component that it belongs to. */
final class Calls {

    private static final String SEMAPHORE = "redisson.md#semaphore";
    private static final Note LEASE =
            new Note("this lease is not a constant or a parameter, or is below 100 ms", "redisson.md#try-wait-lease");
    private static final Set<String> PLAIN =
            Set.of("unlock", "isLocked", "isHeldByCurrentThread", "getHoldCount", "forceUnlock", "getName");
    private static final Set<String> ACQUISITIONS = Set.of("lock", "lockInterruptibly", "tryLock");
    private static final Set<String> INSPECTIONS = Set.of("remainTimeToLive", "isHeldByThread");

    private final Component component;
    private final J.MethodInvocation call;
    private final Cursor cursor;

    Calls(Component component, J.MethodInvocation call, Cursor cursor) {
        this.component = component;
        this.call = call;
        this.cursor = cursor;
    }

    void add(JavaType type) {
        if (RedissonTypes.is(type, RedissonTypes.SEMAPHORE)) {
            addOfSemaphore();
        } else if (RedissonTypes.is(type, RedissonTypes.READ_WRITE_LOCK)) {
            blockUnless(Set.of("readLock", "writeLock").contains(name()), "redisson.md#fair-and-read-write-locks");
        } else if (RedissonTypes.is(type, RedissonTypes.FENCED_LOCK) && name().endsWith("Token")) {
            addOfFencedLock();
        } else {
            addOfLock();
        }
    }

    private String name() {
        return call.getSimpleName();
    }

    private List<Expression> arguments() {
        return call.getArguments().stream()
                .filter(each -> !(each instanceof J.Empty))
                .toList();
    }

    private void blockUnless(boolean known, String page) {
        if (!known) {
            component.block(new Note("this still uses Redisson: " + name() + " is not migrated", page));
        }
    }

    private void addOfLock() {
        List<Expression> arguments = arguments();
        if (!ACQUISITIONS.contains(name())) {
            blockUnless(PLAIN.contains(name()), page());
        } else if (arguments.size() == 3 || (arguments.size() == 2 && !name().equals("tryLock"))) {
            addLease(Lease.of(arguments.get(arguments.size() - 2), arguments.get(arguments.size() - 1)));
        } else {
            component.acquire(Lease.NONE);
        }
    }

    private String page() {
        if (INSPECTIONS.contains(name())) {
            return "redisson.md#inspection-and-forced-release";
        }
        return name().endsWith("Async") ? "redisson.md#asynchronous" : "redisson.md#lock";
    }

    /** The lease moves to where the lock is created, so it must mean the same there. */
    private void addLease(Lease lease) {
        if (lease.isGiven() && !(isStable(lease.time()) && isStable(lease.unit()) && isLongEnough(lease))) {
            component.block(LEASE);
        }
        needScope(lease.time());
        needScope(lease.unit());
        component.acquire(lease);
    }

    /** A parameter means the same in its method, the simple name of a field in its class, a literal and a qualified name anywhere. */
    private void needScope(@Nullable Expression moved) {
        JavaType.Variable variable = Variables.of(moved);
        if (variable != null && !TypeUtils.isOfClassType(variable.getOwner(), "java.util.concurrent.TimeUnit")) {
            Scope scope = Scope.of(cursor);
            component.need(isField(variable) ? scope.ofAnyMethod() : scope);
        }
    }

    private boolean isLongEnough(Lease lease) {
        OptionalLong time = lease.time() == null
                ? OptionalLong.empty()
                : Constants.number(lease.time(), cursor.firstEnclosingOrThrow(JavaSourceFile.class));
        return time.isEmpty()
                || !String.valueOf(lease.unit()).matches("(TimeUnit\\.)?(MILLI|MICRO|NANO)SECONDS")
                || (String.valueOf(lease.unit()).endsWith("MILLISECONDS") && time.getAsLong() >= 100);
    }

    private boolean isStable(@Nullable Expression expression) {
        if (expression instanceof J.Literal) {
            return true;
        }
        JavaType.Variable variable =
                expression instanceof J.FieldAccess access ? access.getName().getFieldType() : Variables.of(expression);
        return variable != null && ((variable.hasFlags(Flag.Final) && isField(variable)) || isParameter(variable));
    }

    private static boolean isField(JavaType.Variable variable) {
        return variable.getOwner() instanceof JavaType.FullyQualified;
    }

    private boolean isParameter(JavaType.Variable variable) {
        J.MethodDeclaration method = cursor.firstEnclosing(J.MethodDeclaration.class);
        return method != null
                && method.getParameters().stream()
                        .anyMatch(each -> each instanceof J.VariableDeclarations declaration
                                && Variables.isSame(
                                        declaration.getVariables().get(0).getVariableType(), variable));
    }

    private void addOfFencedLock() {
        boolean known = Fences.mayBePrimitive(cursor)
                && (name().equals("getToken")
                        || (name().equals("lockAndGetToken") && arguments().isEmpty() && Fences.isDeclaration(cursor)));
        blockUnless(known, "redisson.md#fenced-lock");
        if (name().equals("lockAndGetToken")) {
            component.acquire(Lease.NONE);
        }
    }

    private void addOfSemaphore() {
        boolean isStatement = cursor.getParentTreeCursor().getValue() instanceof J.Block;
        List<Expression> arguments = arguments();
        if (name().equals("trySetPermits") && arguments.size() == 1 && isStatement && isStable(arguments.get(0))) {
            needScope(arguments.get(0));
            component.permits(arguments.get(0));
            return;
        }
        boolean known = switch (name()) {
            case "acquire" -> arguments.isEmpty();
            case "tryAcquire" ->
                arguments.isEmpty()
                        || (arguments.size() == 2
                                && RedissonTypes.is(arguments.get(1).getType(), "java.util.concurrent.TimeUnit"));
            case "release" -> arguments.isEmpty() && isInFinally();
            default -> false;
        };
        blockUnless(known && cursor.firstEnclosing(J.Lambda.class) == null, SEMAPHORE);
    }

    /** In Holdfast, a permit belongs to its thread: a release elsewhere may be by another thread. */
    private boolean isInFinally() {
        Cursor place = cursor;
        while (!(place.getValue() instanceof J.MethodDeclaration) && !place.isRoot()) {
            Cursor parent = place.getParentTreeCursor();
            if (parent.getValue() instanceof J.Try tried
                    && tried.getFinally() != null
                    && tried.getFinally().getId().equals(((J) place.getValue()).getId())) {
                return true;
            }
            place = parent;
        }
        return false;
    }
}
