package io.holdfast.lock.migration.redisson;

import java.util.Set;
import org.openrewrite.ExecutionContext;
import org.openrewrite.Recipe;
import org.openrewrite.TreeVisitor;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.yaml.YamlIsoVisitor;
import org.openrewrite.yaml.tree.Yaml;

/** Leaves a comment in files that Redisson's client is made of, such as {@code redisson.yaml}: Holdfast does not read them. */
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
        return "Leaves a comment in YAML files that configure Redisson's client.";
    }

    @Override
    public TreeVisitor<?, ExecutionContext> getVisitor() {
        return new YamlIsoVisitor<>() {
            @Override
            @SuppressWarnings("NullAway") // a list that is given is returned
            public Yaml.Document visitDocument(Yaml.Document document, ExecutionContext ctx) {
                return document.getBlock() instanceof Yaml.Mapping settings && !isMarked(document)
                        ? document.withBlock(
                                settings.withEntries(ListUtils.map(settings.getEntries(), MarkSettings::marked)))
                        : document;
            }
        };
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
