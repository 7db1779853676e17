package io.holdfast.lock.spring.key;

import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.Ternary;

/**
 * Finds the null in {@code 'order-' + #id}, of which SpEL makes the text "null": one key for all.
 *
 * <p>What SpEL joins cannot be seen from outside. So if the text has "null" in it, and only then, the parts that it was joined
 * from are evaluated once more.
 */
final class NullPart {

    private static final Set<SpelMessage> OF_NULL = EnumSet.of(
            SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL, SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED);

    private static final Pattern WRITTEN_BEFORE_A_DOT = Pattern.compile("([#@][^#@+\\s]*)\\.$");

    private NullPart() {}

    /**
     * {@return the part that is null, as it is written; null if there is none}
     *
     * @param expression what was evaluated
     * @param text what it yielded
     * @param call what it was evaluated with
     */
    static @Nullable String of(SpelNode expression, String text, EvaluationContext call) {
        return text.contains("null") ? in(expression, new ExpressionState(call)) : null;
    }

    /**
     * {@return what is null of which a property or method was asked for, as it is written; empty if that is not why it failed}
     *
     * @param failure of an evaluation
     * @param expression what was evaluated
     */
    static Optional<String> before(RuntimeException failure, String expression) {
        if (!(failure instanceof SpelEvaluationException spel)
                || !OF_NULL.contains(spel.getMessageCode())
                || spel.getPosition() <= 0
                || spel.getPosition() > expression.length()) {
            return Optional.empty();
        }
        Matcher part = WRITTEN_BEFORE_A_DOT.matcher(expression.substring(0, spel.getPosition()));
        return part.find() ? Optional.of(part.group(1)) : Optional.empty();
    }

    private static @Nullable String in(SpelNode node, ExpressionState state) {
        if (node instanceof OpPlus) {
            for (int i = 0; i < node.getChildCount(); i++) {
                SpelNode part = node.getChild(i);
                String found = in(part, state);
                if (found != null) {
                    return found;
                }
                if (ValueClasses.unboxed(part.getValue(state)) == null) {
                    return part.toStringAST();
                }
            }
            return null;
        }
        if (node instanceof Ternary) {
            boolean first = Boolean.TRUE.equals(node.getChild(0).getValue(state));
            return in(node.getChild(first ? 1 : 2), state);
        }
        if (node instanceof Elvis) {
            Object value = node.getChild(0).getValue(state);
            return in(node.getChild(value == null || value.equals("") ? 1 : 0), state);
        }
        return null;
    }
}
