package io.holdfast.lock.migration.integration;

import io.holdfast.lock.migration.code.Templates;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
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
import org.openrewrite.xml.tree.Xml;

/**
 * Beans of {@code RedisLockRegistry} become beans of {@code HoldfastLockRegistry}, and references to the class change with them. All
 * registries of an application are migrated, or none: otherwise code would expect a bean that does not exist.
 */
public final class MigrateRegistry extends ScanningRecipe<AtomicBoolean> {

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

    @Override
    public AtomicBoolean getInitialValue(ExecutionContext ctx) {
        return new AtomicBoolean();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(AtomicBoolean blocked) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (tree instanceof Xml.Document file && XmlBeans.areIn(file)) {
                    blocked.set(true);
                } else if (tree instanceof JavaSourceFile) {
                    new Obstacles().visit(tree, blocked);
                }
                return tree;
            }
        };
    }

    private static final class Obstacles extends JavaIsoVisitor<AtomicBoolean> {

        @Override
        public J.NewClass visitNewClass(J.NewClass creation, AtomicBoolean blocked) {
            if (RegistryBeans.isFormer(creation.getType()) && !RegistryBeans.isInBean(getCursor())) {
                blocked.set(true);
            }
            return super.visitNewClass(creation, blocked);
        }

        @Override
        public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, AtomicBoolean blocked) {
            if (call.getSelect() != null
                    && RegistryBeans.isFormer(call.getSelect().getType())
                    && !RegistryBeans.hasCounterpart(call, getCursor())) {
                blocked.set(true);
            }
            return super.visitMethodInvocation(call, blocked);
        }
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(AtomicBoolean blocked) {
        return blocked.get() ? XmlBeans.marker() : new Migration();
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
