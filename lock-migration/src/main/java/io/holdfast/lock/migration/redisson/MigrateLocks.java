package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.code.Creations;
import io.holdfast.lock.migration.code.Templates;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Preconditions;
import org.openrewrite.ScanningRecipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.java.JavaVisitor;
import org.openrewrite.java.search.UsesType;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;

/** Locks that Redisson's client creates become those of Holdfast's template, which replaces the client or is added beside it. */
public final class MigrateLocks extends ScanningRecipe<Map<String, String>> {

    @Override
    public String getDisplayName() {
        return "Replace Redisson locks";
    }

    @Override
    public String getDescription() {
        return "Locks, fair locks, read-write locks, multi-locks, fenced locks and semaphores that an injected"
                + " `RedissonClient` creates become locks of `LockTemplate`. Explicit leases are not renewed, as"
                + " before. Locks with uses that have no counterpart are kept and marked.";
    }

    /** The additional cycle replaces dependencies that no code uses any longer. */
    @Override
    public boolean causesAnotherCycle() {
        return true;
    }

    @Override
    public Map<String, String> getInitialValue(ExecutionContext ctx) {
        return new HashMap<>();
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getScanner(Map<String, String> created) {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (tree instanceof JavaSourceFile) {
                    new Creations(RedissonTypes.CLIENT).visit(tree, created);
                }
                return tree;
            }
        };
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor(Map<String, String> created) {
        return Preconditions.check(new UsesType<>("org.redisson.api..*", false), new Migration(created));
    }

    private static final class Migration extends JavaVisitor<ExecutionContext> {

        private final Map<String, String> created;

        Migration(Map<String, String> created) {
            this.created = created;
        }

        @Override
        public J preVisit(J tree, ExecutionContext ctx) {
            stopAfterPreVisit();
            if (tree instanceof J.CompilationUnit file) { // Java only: Kotlin has more ways to use a lock
                Plan plan = Plan.of(file, created);
                if (plan.hasWork()) {
                    doAfterVisit(new LocksVisitor(plan));
                    doAfterVisit(new ClientsVisitor(plan));
                }
            }
            return tree;
        }
    }

    /** What a migrated file may import. */
    static final List<String> TYPES = List.of(
            Templates.LOCK_TEMPLATE,
            Templates.LOCK_REQUEST,
            Templates.LOCK,
            Templates.READ_WRITE_LOCK,
            Templates.DURATION,
            Templates.LIST);

    static String[] imports() {
        return new String[] {Templates.LOCK_REQUEST, Templates.DURATION, Templates.LIST};
    }
}
