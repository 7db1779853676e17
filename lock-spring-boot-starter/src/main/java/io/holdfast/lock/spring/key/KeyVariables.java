package io.holdfast.lock.spring.key;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.StringLiteral;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * The variables that a key expression may use.
 *
 * @param named parameters by their names; empty if the names are not known
 * @param count how many parameters there are
 */
record KeyVariables(List<String> named, int count) {

    static KeyVariables of(Method method, ParameterNameDiscoverer discoverer) {
        String[] names = discoverer.getParameterNames(method);
        return new KeyVariables(names == null ? List.of() : List.of(names), method.getParameterCount());
    }

    List<String> unknownIn(SpelExpression expression) {
        Set<String> used = new LinkedHashSet<>();
        collect(expression.getAST(), used);
        return used.stream().filter(name -> !isKnown(name.substring(1))).toList();
    }

    private static void collect(SpelNode node, Set<String> used) {
        if (node instanceof VariableReference) {
            used.add(node.toStringAST());
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            collect(node.getChild(i), used);
        }
    }

    private boolean isKnown(String name) {
        return name.equals("root") || name.equals("this") || named.contains(name) || isPosition(name);
    }

    private boolean isPosition(String name) {
        for (int i = 0; i < count; i++) {
            if (name.equals("p" + i) || name.equals("a" + i)) {
                return true;
            }
        }
        return false;
    }

    /** What can be used instead, and why a name may be missing. */
    String describe() {
        List<String> usable = new ArrayList<>(named);
        for (int i = 0; i < count; i++) {
            usable.add("p" + i);
        }
        usable.add("root");
        String list = "Available: " + usable.stream().map(name -> '#' + name).collect(Collectors.joining(", ")) + ".";
        return count > 0 && named.isEmpty()
                ? list + " The names of the parameters are not known: compile with -parameters, or use the positions."
                : list;
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
