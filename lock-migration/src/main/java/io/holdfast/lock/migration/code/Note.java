package io.holdfast.lock.migration.code;

import java.util.List;
import org.openrewrite.internal.ListUtils;
import org.openrewrite.java.tree.Comment;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.TextComment;
import org.openrewrite.marker.Markers;

/**
 * A comment in the code where a recipe leaves something to people: {@code // Holdfast: … see docs/migration/redisson.md#lock}.
 *
 * @param reason what remains to be done, or what is different now
 * @param page file and anchor below {@code docs/migration}, such as {@code redisson.md#lock}
 */
public record Note(String reason, String page) {

    private static final String START = " Holdfast: ";

    private String text() {
        return START + reason + "; see docs/migration/" + page;
    }

    /** The code with this note above it. Code that already has the note is returned unchanged. */
    @SuppressWarnings("unchecked")
    public <T extends J> T above(T code) {
        return (T) code.withPrefix(above(code.getPrefix()));
    }

    /** The code with all of these notes above it. */
    public static <T extends J> T allAbove(T code, Iterable<Note> notes) {
        T noted = code;
        for (Note each : notes) {
            noted = each.above(noted);
        }
        return noted;
    }

    /** Whether there is any note above this code. */
    static boolean isAbove(J code) {
        return code.getPrefix().getComments().stream()
                .anyMatch(each ->
                        each instanceof TextComment text && text.getText().startsWith(START));
    }

    boolean isThisAbove(J code) {
        return code.getPrefix().getComments().stream().anyMatch(this::isThis);
    }

    private Space above(Space prefix) {
        if (prefix.getComments().stream().anyMatch(this::isThis)) {
            return prefix;
        }
        String last = prefix.getLastWhitespace();
        String lineBreak = "\n" + last.substring(last.lastIndexOf('\n') + 1);
        Comment comment = new TextComment(false, text(), lineBreak, Markers.EMPTY);
        List<Comment> comments = ListUtils.concat(prefix.getComments(), comment);
        return prefix.withComments(comments);
    }

    private boolean isThis(Comment comment) {
        return comment instanceof TextComment existing && existing.getText().equals(text());
    }
}
