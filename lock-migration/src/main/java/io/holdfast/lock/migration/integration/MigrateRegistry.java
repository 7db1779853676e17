package io.holdfast.lock.migration.integration;

import io.holdfast.lock.migration.code.Names;
import io.holdfast.lock.migration.code.Templates;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.ChangeType;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.xml.tree.Xml;

/**
 * Beans of {@code RedisLockRegistry} become beans of {@code HoldfastLockRegistry}, and references to the class change with them. All
 * registries of an application are migrated, or none: otherwise code would expect a bean that does not exist.
 */
public final class MigrateRegistry extends ScanningRecipe<MigrateRegistry.Found> {

    @Override
    public String getDisplayName() {
        return "Replace `RedisLockRegistry` with `HoldfastLockRegistry`";
    }

    @Override
    public String getDescription() {
        return "Beans of the registry are replaced. If one is created outside a bean method, in XML for example, or used in a way"
                + " that Holdfast's registry does not support, none is changed.";
    }

    /** The additional cycle replaces dependencies that no code uses any longer. */
    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    /** What is known from all sources together. */
    static final class Found {
        private boolean blocked;
        private final Set<String> beans = new HashSet<>();
        private final Set<String> called = new HashSet<>();

        /** The parameters of bean methods change, so no code may call one of them. */
        private boolean isBlocked() {
            return blocked || !Collections.disjoint(beans, called);
        }
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
                if (tree instanceof Xml.Document file) {
                    found.blocked |= XmlBeans.areIn(file);
                } else if (tree instanceof JavaSourceFile file) {
                    found.blocked |= RegistryBeans.isUsedIn(file)
                            && Names.taken(file, RegistryBeans.FORMER, RegistryBeans.TYPES)
                                    .isPresent();
                    new Obstacles().visit(tree, found);
                }
                return tree;
            }
        };
    }

    private static final class Obstacles extends JavaIsoVisitor<Found> {

        @Override
        public J.NewClass visitNewClass(J.NewClass creation, Found found) {
            found.blocked |= RegistryBeans.isFormer(creation.getType()) && !RegistryBeans.isInBean(getCursor());
            return super.visitNewClass(creation, found);
        }

        @Override
        public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, Found found) {
            found.blocked |= call.getSelect() != null
                    && RegistryBeans.isFormer(call.getSelect().getType())
                    && !RegistryBeans.hasCounterpart(call, getCursor());
            add(call.getMethodType(), found.called);
            return super.visitMethodInvocation(call, found);
        }

        @Override
        public J.MemberReference visitMemberReference(J.MemberReference reference, Found found) {
            found.blocked |= RegistryBeans.isFormer(reference.getContaining().getType())
                    && !RegistryBeans.hasCounterpart(reference);
            add(reference.getMethodType(), found.called);
            return super.visitMemberReference(reference, found);
        }

        @Override
        public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, Found found) {
            if (RegistryBeans.isBean(method) && BeansVisitor.createsRegistry(method)) {
                found.blocked |=
                        RegistryBeans.isOverriding(method) || RegistryBeans.hasVariable(method, BeansVisitor.NAME);
                add(method.getMethodType(), found.beans);
            }
            return super.visitMethodDeclaration(method, found);
        }

        /** The types of locks go with the setter that takes one. */
        @Override
        public J.Identifier visitIdentifier(J.Identifier name, Found found) {
            found.blocked |= RegistryBeans.isLockType(name.getType())
                    && getCursor().firstEnclosing(J.Import.class) == null
                    && !RegistryBeans.isInSetter(getCursor());
            return super.visitIdentifier(name, found);
        }

        private static void add(JavaType.@Nullable Method method, Set<String> methods) {
            if (method != null) {
                methods.add(method.getDeclaringType().getFullyQualifiedName() + '#' + method.getName());
            }
        }
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Found found) {
        return found.isBlocked() ? XmlBeans.marker() : new Migration();
    }

    private static final class Migration extends JavaVisitor<ExecutionContext> {

        private final List<TreeVisitor<?, ExecutionContext>> steps = List.of(
                new BeansVisitor(), new ChangeType(RegistryBeans.FORMER, Templates.REGISTRY, true).getVisitor());

        @Override
        public J preVisit(J tree, ExecutionContext ctx) {
            if (tree instanceof JavaSourceFile) {
                steps.forEach(this::doAfterVisit);
            }
            stopAfterPreVisit();
            return tree;
        }
    }
}
