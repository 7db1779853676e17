package io.holdfast.lock.migration.integration;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.openrewrite.Tree;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.marker.Markers;
import org.openrewrite.xml.XmlVisitor;
import org.openrewrite.xml.tree.Content;
import org.openrewrite.xml.tree.Xml;

/** Beans of the registry in XML, which are left unchanged. */
final class XmlBeans {

    private static final String NOTE =
            " Holdfast: this still uses Spring Integration's registry; see docs/migration/spring-integration.md#the-bean ";

    private XmlBeans() {}

    static boolean areIn(Xml.Document file) {
        AtomicBoolean found = new AtomicBoolean();
        new XmlVisitor<AtomicBoolean>() {
            @Override
            public Xml visitTag(Xml.Tag tag, AtomicBoolean p) {
                p.compareAndSet(false, isBean(tag));
                return super.visitTag(tag, p);
            }
        }.visit(file, found);
        return found.get();
    }

    private static boolean isBean(Content content) {
        return content instanceof Xml.Tag tag
                && tag.getAttributes().stream()
                        .anyMatch(each -> each.getKeyAsString().equals("class")
                                && each.getValueAsString().equals(RegistryBeans.FORMER));
    }

    /** Leaves a comment above each of them. */
    static <P> XmlVisitor<P> marker() {
        return new XmlVisitor<>() {
            @Override
            public Xml visitTag(Xml.Tag visited, P p) {
                Xml.Tag tag = (Xml.Tag) super.visitTag(visited, p);
                return tag.getContent() == null ? tag : tag.withContent(marked(tag.getContent()));
            }
        };
    }

    @SuppressWarnings("NullAway") // the result is null only for a null list
    private static List<? extends Content> marked(List<? extends Content> contents) {
        return ListUtils.flatMap(
                contents,
                (i, each) -> isBean(each) && !(i > 0 && isNote(contents.get(i - 1)))
                        ? List.of(note(each.getPrefix()), onNextLine(each))
                        : each);
    }

    private static Content note(String prefix) {
        return new Xml.Comment(Tree.randomId(), prefix, Markers.EMPTY, NOTE);
    }

    private static Content onNextLine(Content content) {
        String prefix = content.getPrefix();
        return (Content) content.withPrefix(prefix.substring(Math.max(0, prefix.lastIndexOf('\n'))));
    }

    private static boolean isNote(Content content) {
        return content instanceof Xml.Comment comment && Objects.equals(comment.getText(), NOTE);
    }
}
