package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.code.Note;
import io.holdfast.lock.migration.code.NotingVisitor;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.Tree;
import org.openrewrite.TreeVisitor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.yaml.YamlIsoVisitor;
import org.openrewrite.yaml.tree.Yaml;

/** Leaves a comment in files that configure Redisson's client, {@code redisson.yaml} or Java: locks do not use these settings. */
public final class MarkSettings extends Recipe {

    private static final Set<String> SERVERS = Set.of(
            "singleServerConfig",
            "masterSlaveServersConfig",
            "replicatedServersConfig",
            "sentinelServersConfig",
            "clusterServersConfig");
    private static final String NOTE =
            "# Holdfast: locks do not use these settings; see docs/migration/redisson.md#settings-of-the-client";

    @Override
    public String getDisplayName() {
        return "Mark settings of Redisson's client";
    }

    @Override
    public String getDescription() {
        return "Leaves a comment in YAML files, and in code, that configure Redisson's client.";
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor() {
        return new TreeVisitor<>() {
            @Override
            public @Nullable Tree visit(@Nullable Tree tree, ExecutionContext ctx) {
                if (tree instanceof JavaSourceFile) {
                    return new CodeVisitor().visit(tree, ctx);
                }
                return tree instanceof Yaml ? new FileVisitor().visit(tree, ctx) : tree;
            }
        };
    }

    private static final class CodeVisitor extends NotingVisitor {

        private static final MethodMatcher WATCHDOG =
                new MethodMatcher("org.redisson.config.Config setLockWatchdogTimeout(long)");
        private static final Set<String> ADDRESSES = Set.of(
                "setAddress",
                "setMasterAddress",
                "addNodeAddress",
                "setNodeAddresses",
                "addSentinelAddress",
                "setSentinelAddresses");
        private static final Note LEASE =
                new Note("holdfast.lease replaces the watchdog timeout", "redisson.md#configuration");
        private static final Note ADDRESS = new Note(
                "locks do not use this address: set spring.data.redis or holdfast.redis.url, or they are kept at localhost:6379",
                "redisson.md#settings-of-the-client");

        @Override
        public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, ExecutionContext ctx) {
            if (WATCHDOG.matches(call)) {
                note(LEASE);
            }
            if (ADDRESSES.contains(call.getSimpleName()) && isSetting(call)) {
                note(ADDRESS);
            }
            return super.visitMethodInvocation(call, ctx);
        }

        private static boolean isSetting(J.MethodInvocation call) {
            return call.getMethodType() != null
                    && call.getMethodType()
                            .getDeclaringType()
                            .getFullyQualifiedName()
                            .startsWith("org.redisson.config.");
        }
    }

    private static final class FileVisitor extends YamlIsoVisitor<ExecutionContext> {

        @Override
        @SuppressWarnings("NullAway") // the result is null only for a null list
        public Yaml.Document visitDocument(Yaml.Document document, ExecutionContext ctx) {
            return document.getBlock() instanceof Yaml.Mapping settings && !isMarked(document)
                    ? document.withBlock(
                            settings.withEntries(ListUtils.map(settings.getEntries(), MarkSettings::marked)))
                    : document;
        }
    }

    private static boolean isMarked(Yaml.Document document) {
        return document.getPrefix().contains(NOTE)
                || (document.getBlock() instanceof Yaml.Mapping settings
                        && settings.getEntries().stream()
                                .anyMatch(each -> each.getPrefix().contains(NOTE)));
    }

    private static Yaml.Mapping.Entry marked(Yaml.Mapping.Entry entry) {
        return SERVERS.contains(entry.getKey().getValue()) ? entry.withPrefix(entry.getPrefix() + NOTE + "\n") : entry;
    }
}
