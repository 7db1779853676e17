package io.holdfast.lock.migration.lock4j;

import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.SourceFile;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.properties.search.FindProperties;
import org.openrewrite.properties.tree.Properties;
import org.openrewrite.yaml.search.FindProperty;
import org.openrewrite.yaml.tree.Yaml;

/**
 * Whether a file sets how long methods without {@code acquireTimeout} wait. If so, the renamed property remains their default; otherwise
 * they waited for Lock4j's default of 3 s, which is not Holdfast's.
 */
final class DefaultWait extends TreeVisitor<Tree, ExecutionContext> {

    static final int SECONDS = 3;

    private static final Set<String> KEYS = Set.of("lock4j.acquire-timeout", "holdfast.wait-for");
    private static final String OF_TESTS = "src/test/";

    private final AtomicBoolean isSet;

    DefaultWait(AtomicBoolean isSet) {
        this.isSet = isSet;
    }

    @Override
    public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
        if (tree instanceof SourceFile file
                && !file.getSourcePath().toString().replace('\\', '/').contains(OF_TESTS)
                && KEYS.stream().anyMatch(key -> sets(file, key))) {
            isSet.set(true);
        }
        return tree;
    }

    private static boolean sets(SourceFile file, String key) {
        return (file instanceof Properties properties
                        && !FindProperties.find(properties, key, true).isEmpty())
                || (file instanceof Yaml yaml
                        && !FindProperty.find(yaml, key, true).isEmpty());
    }
}
