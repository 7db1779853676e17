package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.code.Note;
import io.holdfast.lock.migration.code.Variables;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** Finds each Redisson lock in a source file, and whether all of its uses have a counterpart. */
final class LockUses extends JavaIsoVisitor<Components> {

    private static final String RED = "getRedLock";
    private static final Note PASSED_ON =
            new Note("this still uses Redisson: the lock is passed on as a Redisson lock", "redisson.md#lock");
    private static final Note NO_TEMPLATE = new Note(
            "this still uses Redisson: its client is not an injected field, so there is no LockTemplate here",
            "redisson.md#lock");
    private static final Note UNKNOWN = new Note(
            "this still uses Redisson: a lock of this kind is not migrated",
            "redisson.md#inspection-and-forced-release");
    private static final Note RED_LOCK = new Note(
            "this still uses Redisson: in Holdfast, a lock on several servers is configured in properties"
                    + " (holdfast.quorum)",
            "redisson.md#redlock");
    private static final Note PERMITS =
            new Note("this still uses Redisson: the number of permits is not known here", "redisson.md#semaphore");

    private static final Note ARRAY = new Note(
            "this still uses Redisson: locks in an array are not migrated; pass their keys to LockRequest.ofAll",
            "redisson.md#several-locks");

    private final Map<String, ClientField> clients;
    private final Map<String, String> created;

    /** @param created maps each class that is created with a client to the class that creates it */
    LockUses(Map<String, ClientField> clients, Map<String, String> created) {
        this.clients = clients;
        this.created = created;
    }

    @Override
    public J.Identifier visitIdentifier(J.Identifier name, Components components) {
        if (name.getFieldType() != null && RedissonTypes.isLock(name.getType())) {
            addUse(Variables.id(name.getFieldType()), getCursor(), components);
        }
        return super.visitIdentifier(name, components);
    }

    @Override
    public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, Components components) {
        if (RedissonTypes.isFactory(call)) {
            addFactory(call, components.of(call.getId()));
            addUse(call.getId(), getCursor(), components);
        } else if (RedissonTypes.isLock(call.getType())) {
            addDerived(call, components);
        }
        return super.visitMethodInvocation(call, components);
    }

    private void addFactory(J.MethodInvocation call, Component component) {
        JavaType.Variable client = Variables.of(call.getSelect());
        if (call.getSimpleName().equals(RED)) {
            component.block(RED_LOCK);
        } else if (!RedissonTypes.isKnownFactory(call)) {
            component.block(UNKNOWN);
        } else if (RedissonTypes.MULTI_LOCK.matches(call)
                && !call.getArguments().stream().allMatch(LockUses::isNode)) {
            component.block(ARRAY);
        } else if (client == null || !isInjected(Variables.id(client))) {
            component.block(withoutTemplate());
        }
        component.createdIn(Scope.of(getCursor()));
    }

    private static boolean isNode(Expression expression) {
        return RedissonTypes.isLock(expression.getType()) && node(expression) != null;
    }

    private Note withoutTemplate() {
        J.ClassDeclaration type = getCursor().firstEnclosing(J.ClassDeclaration.class);
        String creator = type == null || type.getType() == null
                ? null
                : created.get(type.getType().getFullyQualifiedName());
        return creator == null
                ? NO_TEMPLATE
                : new Note(
                        "this still uses Redisson: " + creator
                                + " passes a RedissonClient to this class, and would have to pass a LockTemplate",
                        "redisson.md#lock");
    }

    private boolean isInjected(String client) {
        return clients.values().stream().anyMatch(each -> each.isOf(client));
    }

    /** The read or write lock of a pair; or a lock that another method creates. */
    private void addDerived(J.MethodInvocation call, Components components) {
        Object pair = node(call.getSelect());
        if (pair != null
                && RedissonTypes.is(
                        Objects.requireNonNull(call.getSelect()).getType(), RedissonTypes.READ_WRITE_LOCK)) {
            components.join(pair, call.getId());
        } else {
            components.of(call.getId()).block(PASSED_ON);
        }
        addUse(call.getId(), getCursor(), components);
    }

    static @Nullable Object node(@Nullable Expression expression) {
        JavaType.Variable variable = Variables.of(expression);
        return variable != null
                ? Variables.id(variable)
                : expression instanceof J.MethodInvocation call ? call.getId() : null;
    }

    private void addUse(Object node, Cursor value, Components components) {
        Cursor above = value.getParentTreeCursor();
        J use = above.getValue();
        if (use instanceof J.FieldAccess || use instanceof J.Parentheses) {
            addUse(node, above, components);
        } else if (use instanceof J.MethodInvocation call) {
            addCall(node, call, value, components);
        } else if (use instanceof J.VariableDeclarations.NamedVariable variable) {
            connect(node, variable.getVariableType(), components);
        } else if (use instanceof J.Assignment assignment) {
            connect(node, Variables.of(assignment.getVariable()), components);
        } else if (!isHarmless(use, above)) {
            components.of(node).block(PASSED_ON);
        }
    }

    private static boolean isHarmless(J use, Cursor cursor) {
        if (use instanceof J.Return) {
            J.MethodDeclaration method = cursor.firstEnclosing(J.MethodDeclaration.class);
            return cursor.firstEnclosing(J.Lambda.class) == null
                    && method != null
                    && method.getMethodType() != null
                    && isStandard(method.getMethodType().getReturnType());
        }
        return (use instanceof J.Binary binary && (isNull(binary.getLeft()) || isNull(binary.getRight())))
                || use instanceof J.Block;
    }

    static boolean isNull(Expression expression) {
        return expression instanceof J.Literal literal && literal.getValue() == null;
    }

    /** Both libraries implement the interfaces of the JDK. */
    private static boolean isStandard(@Nullable JavaType type) {
        return TypeUtils.isOfClassType(type, "java.util.concurrent.locks.Lock")
                || TypeUtils.isOfClassType(type, "java.util.concurrent.locks.ReadWriteLock");
    }

    private static void connect(Object node, JavaType.@Nullable Variable variable, Components components) {
        if (variable == null || (!RedissonTypes.isLock(variable.getType()) && !isStandard(variable.getType()))) {
            components.of(node).block(PASSED_ON);
        } else if (RedissonTypes.isLock(variable.getType())) {
            components.join(node, Variables.id(variable));
        }
    }

    private void addCall(Object node, J.MethodInvocation call, Cursor value, Components components) {
        Expression lock = value.getValue();
        if (call.getSelect() != null && call.getSelect().getId().equals(lock.getId())) {
            new Calls(components.of(node), call, value.getParentTreeCursor())
                    .add(Objects.requireNonNull(lock.getType()));
        } else if (RedissonTypes.MULTI_LOCK.matches(call)
                || call.getSimpleName().equals(RED)) {
            components.join(call.getId(), node);
        } else if (!isStandard(parameter(call, lock))) {
            components.of(node).block(PASSED_ON);
        }
    }

    private static @Nullable JavaType parameter(J.MethodInvocation call, Expression argument) {
        List<JavaType> types =
                call.getMethodType() == null ? List.of() : call.getMethodType().getParameterTypes();
        for (int i = 0; i < Math.min(types.size(), call.getArguments().size()); i++) {
            if (call.getArguments().get(i).getId().equals(argument.getId())) {
                return types.get(i);
            }
        }
        return null;
    }

    /**
     * A local variable or a private field has only values that this file assigns; other fields, parameters, and variables of loops and
     * patterns have others as well. Variables of one declaration have one type.
     */
    @Override
    public J.VariableDeclarations visitVariableDeclarations(J.VariableDeclarations declaration, Components components) {
        Object place = getCursor().getParentTreeCursor().getValue();
        boolean isField = place instanceof J.Block
                && getCursor().getParentTreeCursor().getParentTreeCursor().getValue() instanceof J.ClassDeclaration;
        boolean isSeenHere = isField
                ? declaration.hasModifier(J.Modifier.Type.Private)
                : place instanceof J.Block || place instanceof J.Case || place instanceof J.ForLoop.Control;
        List<Object> locks = declaration.getVariables().stream()
                .filter(each -> RedissonTypes.isLock(each.getType()) && each.getVariableType() != null)
                .<Object>map(each -> Variables.id(Objects.requireNonNull(each.getVariableType())))
                .toList();
        locks.forEach(each -> components.join(locks.get(0), each));
        if (!locks.isEmpty()
                && (!isSeenHere || locks.size() < declaration.getVariables().size())) {
            components.of(locks.get(0)).block(PASSED_ON);
        }
        return super.visitVariableDeclarations(declaration, components);
    }

    @Override
    public J.VariableDeclarations.NamedVariable visitVariable(
            J.VariableDeclarations.NamedVariable variable, Components components) {
        addSource(variable.getVariableType(), variable.getInitializer(), components);
        return super.visitVariable(variable, components);
    }

    @Override
    public J.Assignment visitAssignment(J.Assignment assignment, Components components) {
        addSource(Variables.of(assignment.getVariable()), assignment.getAssignment(), components);
        return super.visitAssignment(assignment, components);
    }

    private static void addSource(JavaType.@Nullable Variable lock, @Nullable Expression value, Components components) {
        if (lock != null
                && value != null
                && RedissonTypes.isLock(lock.getType())
                && !isNull(value.unwrap())
                && !isNode(value.unwrap())) {
            components.of(Variables.id(lock)).block(PASSED_ON);
        }
    }

    /** Called once all uses are known. */
    static void check(J.MethodInvocation factory, Components components) {
        Component component = components.of(factory.getId());
        component.checkScopes();
        if (RedissonTypes.GET_SEMAPHORE.matches(factory) && component.permits().isEmpty()) {
            component.block(PERMITS);
        }
    }
}
