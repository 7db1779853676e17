package io.holdfast.lock.spring.key;

import org.jspecify.annotations.Nullable;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.spel.ExpressionState;
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
