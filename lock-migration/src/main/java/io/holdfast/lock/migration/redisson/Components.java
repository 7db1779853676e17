package io.holdfast.lock.migration.redisson;

import java.util.HashMap;
import java.util.Map;

/** Which variables and calls belong together. A node is the id of a variable, or of a call. */
final class Components {

    private final Map<Object, Object> parents = new HashMap<>();
    private final Map<Object, Component> components = new HashMap<>();

    private Object root(Object node) {
        Object root = node;
        while (parents.containsKey(root)) {
            root = parents.get(root);
        }
        return root;
    }

    Component of(Object node) {
        return components.computeIfAbsent(root(node), none -> new Component());
    }

    boolean isTranslatable(Object node) {
        Component component = components.get(root(node));
        return component != null && component.isTranslatable();
    }

    void join(Object one, Object other) {
        Object root = root(one);
        Object joined = root(other);
        if (!root.equals(joined)) {
            Component absorbed = of(joined);
            of(root).absorb(absorbed);
            components.remove(joined);
            parents.put(joined, root);
        }
    }
}
