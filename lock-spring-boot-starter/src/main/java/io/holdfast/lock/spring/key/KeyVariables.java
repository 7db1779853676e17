package io.holdfast.lock.spring.key;

import io.holdfast.lock.spring.coroutine.SuspendFunctions;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.spel.SpelNode;

/**
 * The variables that an expression may use.
 *
 * @param named parameters by their names; empty if the names are not known
 * @param count how many parameters there are
 * @param positions where the argument of a variable is: by name, and as p0, a0, p1, …
 */
record KeyVariables(List<String> named, int count, Map<String, Integer> positions) {

    /**
     * With the names where the annotation stands, which may be those of an interface, and those of the method itself. Where one
     * name means two parameters, it means that of the former.
     */
    static KeyVariables of(Method method, Method annotated, ParameterNameDiscoverer discoverer) {
        int count = SuspendFunctions.argumentCount(method);
        Map<String, Integer> positions = new HashMap<>();
        for (int i = 0; i < count; i++) {
            positions.put("p" + i, i);
            positions.put("a" + i, i);
        }
        Map<String, Integer> named = new LinkedHashMap<>();
        addNames(annotated, count, discoverer, named);
        addNames(method, count, discoverer, named);
        positions.putAll(named);
        return new KeyVariables(List.copyOf(named.keySet()), count, Map.copyOf(positions));
    }

    private static void addNames(
            Method method, int count, ParameterNameDiscoverer discoverer, Map<String, Integer> named) {
        @Nullable String @Nullable [] names = discoverer.getParameterNames(method);
        for (int i = 0; names != null && i < count; i++) {
            String name = names[i];
            if (name != null) {
                named.putIfAbsent(name, i);
            }
        }
    }

    List<String> unknownIn(SpelNode expression) {
        return ExpressionNodes.variablesOf(expression).stream()
                .filter(name -> !isKnown(name.substring(1)))
                .toList();
    }

    private boolean isKnown(String name) {
        return name.equals("root") || name.equals("this") || positions.containsKey(name);
    }

    /** What can be used instead, and why a name may be missing. */
    String describe() {
        List<String> usable = new ArrayList<>(named);
        for (int i = 0; i < count; i++) {
            usable.add("p" + i);
        }
        usable.add("root");
        String list = "Available variables: "
                + usable.stream().map(name -> '#' + name).collect(Collectors.joining(", ")) + ".";
        return count > 0 && named.isEmpty()
                ? list + " Parameter names are not available: compile with -parameters, or use positions."
                : list;
    }
}
