package io.holdfast.lock.migration.build;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.openrewrite.ExecutionContext;
import org.openrewrite.xml.XPathMatcher;
import org.openrewrite.xml.XmlVisitor;
import org.openrewrite.xml.tree.Content;
import org.openrewrite.xml.tree.Xml;

/** Replaces dependencies of a project, but not those of its plugins or those that it manages for others. */
final class PomVisitor extends XmlVisitor<ExecutionContext> {

    private static final XPathMatcher DEPENDENCIES = new XPathMatcher("/project/dependencies");

    private final Artifacts former;
    private final boolean isFormerUsed;
    private final boolean isHoldfastUsed;
    private final List<Companion> companions;

    PomVisitor(Artifacts former, Uses uses, Path pom) {
        this.former = former;
        this.isFormerUsed = uses.isFormerUsedIn(pom);
        this.isHoldfastUsed = uses.isHoldfastUsedIn(pom);
        this.companions = isFormerUsed ? List.of() : uses.companionsOf(pom);
    }

    @Override
    public Xml visitTag(Xml.Tag tag, ExecutionContext ctx) {
        if (!DEPENDENCIES.matches(getCursor()) || tag.getContent() == null) {
            return super.visitTag(tag, ctx);
        }
        List<Xml.Tag> replaced =
                tag.getChildren("dependency").stream().filter(this::isFormer).toList();
        boolean isComplete = isFormerUsed && (!isHoldfastUsed || hasStarter(tag));
        return replaced.isEmpty() || isComplete ? tag : tag.withContent(contents(tag, replaced));
    }

    private List<Content> contents(Xml.Tag dependencies, List<Xml.Tag> replaced) {
        List<Content> contents = new ArrayList<>();
        boolean missing = !hasStarter(dependencies);
        for (Content each : Objects.requireNonNull(dependencies.getContent())) {
            boolean isReplaced = each instanceof Xml.Tag dependency && replaced.contains(dependency);
            if (!isReplaced || isFormerUsed) {
                contents.add(each);
            }
            if (isReplaced && missing) {
                contents.add(
                        dependency(Artifacts.GROUP, Artifacts.STARTER, Artifacts.version(), (Xml.Tag) each, replaced));
                missing = false;
            }
            if (each.equals(replaced.get(0))) {
                contents.addAll(companions(dependencies, replaced));
            }
        }
        return contents;
    }

    private List<Xml.Tag> companions(Xml.Tag dependencies, List<Xml.Tag> replaced) {
        List<String> left = dependencies.getChildren("dependency").stream()
                .filter(each -> !replaced.contains(each))
                .map(each -> each.getChildValue("artifactId").orElse(""))
                .toList();
        return companions.stream()
                .filter(each -> !each.isAmong(left))
                .map(each ->
                        dependency(each.group(), each.artifact(), version(each, replaced), replaced.get(0), replaced))
                .toList();
    }

    /** All artifacts of a group have the same version; an artifact without one is managed elsewhere. */
    private static String version(Companion companion, List<Xml.Tag> replaced) {
        return replaced.stream()
                .filter(each -> each.getChildValue("groupId").orElse("").equals(companion.group()))
                .flatMap(each -> each.getChildValue("version").stream())
                .findFirst()
                .orElse("");
    }

    static boolean declares(Xml.Document pom, Artifacts artifacts) {
        return pom.getRoot().getChild("dependencies").stream()
                .flatMap(each -> each.getChildren("dependency").stream())
                .anyMatch(each -> isAmong(artifacts, each));
    }

    private boolean isFormer(Xml.Tag dependency) {
        return isAmong(former, dependency);
    }

    private static boolean isAmong(Artifacts artifacts, Xml.Tag dependency) {
        return artifacts.contain(
                dependency.getChildValue("groupId").orElse(""),
                dependency.getChildValue("artifactId").orElse(""));
    }

    private static boolean hasStarter(Xml.Tag dependencies) {
        return dependencies.getChildren("dependency").stream().anyMatch(PomVisitor::isStarter);
    }

    private static boolean isStarter(Xml.Tag dependency) {
        return dependency
                        .getChildValue("groupId")
                        .filter(Artifacts.GROUP::equals)
                        .isPresent()
                && dependency
                        .getChildValue("artifactId")
                        .filter(Artifacts.STARTER::equals)
                        .isPresent();
    }

    private static Xml.Tag dependency(
            String group, String artifact, String version, Xml.Tag former, List<Xml.Tag> replaced) {
        String indent = former.getPrefix();
        String inner = former.getChildren().isEmpty()
                ? indent + "  "
                : former.getChildren().get(0).getPrefix();
        boolean onlyTests = replaced.stream()
                .allMatch(each ->
                        each.getChildValue("scope").filter("test"::equals).isPresent());
        String versionTag = version.isEmpty() ? "" : inner + "<version>" + version + "</version>";
        String scope = onlyTests ? inner + "<scope>test</scope>" : "";
        String end = indent.substring(Math.max(0, indent.lastIndexOf('\n')));
        return Xml.Tag.build("<dependency>" + inner + "<groupId>" + group + "</groupId>" + inner + "<artifactId>"
                        + artifact + "</artifactId>" + versionTag + scope + end + "</dependency>")
                .withPrefix(indent);
    }
}
