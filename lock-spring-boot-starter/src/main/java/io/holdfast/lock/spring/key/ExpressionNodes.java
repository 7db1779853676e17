package io.holdfast.lock.spring.key;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.Operator;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;

/** Reads the parsed form of an expression, before there is anything to evaluate it with. */
final class ExpressionNodes {

    private ExpressionNodes() {}

    /** The variables and functions that an expression uses, each as {@code #name}. */
    static Set<String> variablesOf(SpelNode node) {
        Set<String> used = new LinkedHashSet<>();
        collectVariables(node, used);
        return used;
    }

    private static void collectVariables(SpelNode node, Set<String> used) {
        if (node instanceof VariableReference) {
            used.add(node.toStringAST());
        } else if (node instanceof FunctionReference) {
            String call = node.toStringAST();
            used.add(call.substring(0, call.indexOf('(')));
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collectVariables(node.getChild(i), used);
        }
    }

    /** The properties that an expression would read of {@code #root}, and that are not there: an unquoted text, mostly. */
    static List<String> unknownProperties(SpelNode node) {
        List<String> unknown = new ArrayList<>();
        collectProperties(node, unknown);
        return unknown;
    }

    /** Follows only those nodes whose parts are evaluated on the root as well. */
    private static void collectProperties(SpelNode node, List<String> unknown) {
        if (node instanceof PropertyOrFieldReference property) {
            if (!KeyRoot.PROPERTIES.contains(property.getName())) {
                unknown.add(property.getName());
            }
        } else if (node instanceof CompoundExpression) {
            collectProperties(node.getChild(0), unknown);
        } else if (node instanceof Operator || node instanceof Ternary || node instanceof Elvis) {
            for (int i = 0; i < node.getChildCount(); i++) {
                collectProperties(node.getChild(i), unknown);
            }
        }
    }

    /** Whether the expression itself says more than a value: by a text, or by a bean that makes the key. */
    static boolean hasTextOfItsOwn(SpelNode node) {
        if (node instanceof StringLiteral || node instanceof BeanReference) {
            return true;
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            if (hasTextOfItsOwn(node.getChild(i))) {
                return true;
            }
        }
        return false;
    }
}
