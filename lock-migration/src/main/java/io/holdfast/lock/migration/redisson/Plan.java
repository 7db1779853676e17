package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.code.Names;
import io.holdfast.lock.migration.code.Note;
import io.holdfast.lock.migration.code.Variables;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;

/** The changes to make in a source file, decided before any of them is made. */
final class Plan {

    private static final Note MIXED = new Note(
            "this still uses Redisson: only plain locks of the same client are migrated together",
            "redisson.md#several-locks");

    private final Components components = new Components();
    private final Map<String, ClientField> clients;
    private final List<J.MethodInvocation> factories = new ArrayList<>();
    private final Set<String> replaced = new HashSet<>();
    private final Set<String> joined = new HashSet<>();
    private final Set<String> names = new HashSet<>();

    private boolean isInjectedByName;

    private Plan(Map<String, ClientField> clients) {
        this.clients = clients;
    }

    static Plan of(JavaSourceFile file, Map<String, String> created) {
        Plan plan = new Plan(ClientFields.in(file, created.keySet()));
        new LockUses(plan.clients, created).visit(file, plan.components);
        new Collector().visit(file, plan);
        plan.factories.forEach(each -> LockUses.check(each, plan.components));
        Names.taken(file, "", MigrateLocks.TYPES).ifPresent(plan::blockAll);
        plan.checkMultiLocks();
        plan.decideOnClients(file);
        return plan;
    }

    private void blockAll(String name) {
        Note note = new Note(
                "this still uses Redisson: " + name + " is the name of another type in this file", "redisson.md#lock");
        factories.forEach(each -> components.of(each.getId()).block(note));
    }

    /** Locks other than plain ones would lose a property: being fair, or one of a pair. */
    private void checkMultiLocks() {
        for (J.MethodInvocation multi : factories) {
            if (RedissonTypes.MULTI_LOCK.matches(multi)) {
                Component component = components.of(multi.getId());
                boolean plain = factories.stream()
                        .filter(each -> components.of(each.getId()) == component)
                        .allMatch(each -> each.getId().equals(multi.getId())
                                || (RedissonTypes.PLAIN_LOCK.matches(each)
                                        && client(each).equals(client(multi))));
                if (!plain) {
                    component.block(MIXED);
                }
            }
        }
    }

    /** The field of the client that creates this lock. */
    private String client(J.MethodInvocation factory) {
        JavaType.Variable variable = Variables.of(factory.getSelect());
        String field = variable == null ? null : field(variable);
        return field == null ? "" : field;
    }

    private void decideOnClients(JavaSourceFile file) {
        Map<String, Boolean> onlyLocks = new HashMap<>();
        clients.values().forEach(each -> onlyLocks.put(each.id(), each.isPrivate()));
        new ClientUses(this).visit(file, onlyLocks);
        for (J.MethodInvocation each : factories) {
            if (isTranslatable(each.getId())) {
                (onlyLocks.getOrDefault(client(each), true) ? replaced : joined).add(client(each));
            }
        }
    }

    /** Whether a node, which is the id of a variable or a call, can be migrated. */
    boolean isTranslatable(@Nullable Object node) {
        return node != null && components.isTranslatable(node);
    }

    Component component(Object node) {
        return components.of(node);
    }

    /** Whether the variable is, or sets, a field that is no longer needed. */
    boolean isReplaced(JavaType.@Nullable Variable variable) {
        return variable != null && field(variable) != null && replaced.contains(field(variable));
    }

    /** Whether the variable is, or sets, a field that stays, alongside that of the template. */
    boolean isJoined(JavaType.@Nullable Variable variable) {
        return variable != null && field(variable) != null && joined.contains(field(variable));
    }

    private @Nullable String field(JavaType.Variable variable) {
        return clients.values().stream()
                .filter(each -> each.isOf(Variables.id(variable)))
                .map(ClientField::id)
                .findFirst()
                .orElse(null);
    }

    boolean hasWork() {
        return !factories.isEmpty();
    }

    boolean needsTemplate() {
        return !replaced.isEmpty() || !joined.isEmpty();
    }

    /** The name of the template's variables: the name of its bean if that is injected by name, since Lock4j uses the shorter one. */
    String name() {
        return isInjectedByName || names.contains("lockTemplate") ? "holdfastLockTemplate" : "lockTemplate";
    }

    private static final class Collector extends JavaIsoVisitor<Plan> {

        @Override
        public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, Plan plan) {
            if (RedissonTypes.isFactory(call)) {
                plan.factories.add(call);
            }
            return super.visitMethodInvocation(call, plan);
        }

        @Override
        public J.Annotation visitAnnotation(J.Annotation annotation, Plan plan) {
            plan.isInjectedByName |= annotation.getSimpleName().equals("Resource");
            return super.visitAnnotation(annotation, plan);
        }

        @Override
        public J.Identifier visitIdentifier(J.Identifier name, Plan plan) {
            if (name.getFieldType() != null) {
                plan.names.add(name.getSimpleName());
            }
            return super.visitIdentifier(name, plan);
        }
    }

    /** Whether a client creates nothing but locks that are migrated. */
    private static final class ClientUses extends JavaIsoVisitor<Map<String, Boolean>> {

        private final Plan plan;

        ClientUses(Plan plan) {
            this.plan = plan;
        }

        @Override
        public J.Identifier visitIdentifier(J.Identifier name, Map<String, Boolean> onlyLocks) {
            JavaType.Variable variable = name.getFieldType();
            String field = variable == null ? null : plan.field(variable);
            if (field != null && !isForLocks(getCursor())) {
                onlyLocks.put(field, false);
            }
            return super.visitIdentifier(name, onlyLocks);
        }

        private boolean isForLocks(Cursor use) {
            Cursor above = use.getParentTreeCursor();
            J parent = above.getValue();
            if (parent instanceof J.FieldAccess) {
                return isForLocks(above);
            }
            if (parent instanceof J.MethodInvocation call) {
                return RedissonTypes.isFactory(call)
                        && plan.isTranslatable(call.getId())
                        && isSelect(call, use.getValue());
            }
            return parent instanceof J.VariableDeclarations.NamedVariable
                    || (parent instanceof J.Assignment assignment && isInjection(assignment));
        }

        private static boolean isSelect(J.MethodInvocation call, J value) {
            return call.getSelect() != null && call.getSelect().getId().equals(value.getId());
        }

        private boolean isInjection(J.Assignment assignment) {
            Expression value = assignment.getAssignment();
            JavaType.Variable from = Variables.of(value);
            JavaType.Variable to = Variables.of(assignment.getVariable());
            String field = from == null ? null : plan.field(from);
            return field != null && to != null && field.equals(plan.field(to));
        }
    }
}
