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

/** Replaces dependencies of a project, not those of its plugins, nor those that it manages for others. */
final class PomVisitor extends XmlVisitor<ExecutionContext> {

    private static final XPathMatcher DEPENDENCIES = new XPathMatcher("/project/dependencies");

    private final Artifacts former;
    private final boolean isFormerUsed;
    private final boolean isHoldfastUsed;

    PomVisitor(Artifacts former, Uses uses, Path pom) {
        this.former = former;
        this.isFormerUsed = uses.isFormerUsedIn(pom);
        this.isHoldfastUsed = uses.isHoldfastUsedIn(pom);
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
                contents.add(starter((Xml.Tag) each, replaced));
                missing = false;
            }
        }
        return contents;
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

    private static Xml.Tag starter(Xml.Tag former, List<Xml.Tag> replaced) {
        String indent = former.getPrefix();
        String inner = former.getChildren().isEmpty()
                ? indent + "  "
                : former.getChildren().get(0).getPrefix();
        boolean onlyTests = replaced.stream()
                .allMatch(each ->
                        each.getChildValue("scope").filter("test"::equals).isPresent());
        String scope = onlyTests ? inner + "<scope>test</scope>" : "";
        String end = indent.substring(Math.max(0, indent.lastIndexOf('\n')));
        return Xml.Tag.build("<dependency>" + inner + "<groupId>" + Artifacts.GROUP + "</groupId>" + inner
                        + "<artifactId>"
                        + Artifacts.STARTER + "</artifactId>" + inner + "<version>" + Artifacts.version() + "</version>"
                        + scope + end + "</dependency>")
                .withPrefix(indent);
    }
}
