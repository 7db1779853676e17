package io.holdfast.lock.migration.lock4j;

import io.holdfast.lock.migration.code.Templates;
import java.util.List;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.ChangeType;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;

/** Lock4j's {@code LockTemplate} becomes Holdfast's, and a {@code LockInfo} a {@code LockHandle}. */
public final class MigrateLockTemplate extends Recipe {

    @Override
    public String getDisplayName() {
        return "Replace Lock4j's `LockTemplate`";
    }

    @Override
    public String getDescription() {
        return "Calls to `lock` become `tryAcquire`, with a lease that is not renewed, and `releaseLock` becomes `close`. "
                + "Files that use Lock4j in other ways are not changed.";
    }

    /** In which the dependencies are replaced that no code uses any more. */
    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor() {
        return Preconditions.check(new UsesType<>(TemplateUses.TEMPLATE, false), new Visitor());
    }

    private static final class Visitor extends JavaVisitor<ExecutionContext> {

        private final List<TreeVisitor<?, ExecutionContext>> steps = List.of(
                new CallsVisitor(),
                new ChangeType(TemplateUses.TEMPLATE, Templates.LOCK_TEMPLATE, true).getVisitor(),
                new ChangeType(TemplateUses.INFO, Templates.LOCK_HANDLE, true).getVisitor());

        @Override
        public J preVisit(J tree, ExecutionContext ctx) {
            if (tree instanceof JavaSourceFile file && TemplateUses.areTranslatable(file)) {
                steps.forEach(this::doAfterVisit);
            }
            stopAfterPreVisit();
            return tree;
        }
    }
}
