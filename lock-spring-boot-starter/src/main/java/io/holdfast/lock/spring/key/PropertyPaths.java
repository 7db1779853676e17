package io.holdfast.lock.spring.key;

import java.beans.Introspector;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.util.StringUtils;

/**
 * Compares paths such as {@code #order.customer.id} with the declared types, before anybody calls the method. A path is
 * followed as far as its types say what a value can be: not through interfaces and abstract classes, whose values have more
 * than they say, nor through maps and methods.
 */
final class PropertyPaths {

    private final Method method;
    private final Map<String, Integer> positions;

    PropertyPaths(Method method, Map<String, Integer> positions) {
        this.method = method;
        this.positions = positions;
    }

    /** What a path names that its type has not. */
    record Missing(String property, Class<?> type) {

        /** What it has instead, by the names that expressions use. */
        String available() {
            TreeSet<String> names = new TreeSet<>();
            for (Method each : type.getMethods()) {
                String name = each.getName();
                if (isGetter(each) && each.getDeclaringClass() != Object.class) {
                    boolean get = name.startsWith("get") && name.length() > 3;
                    boolean is = name.startsWith("is") && name.length() > 2;
                    if (get || is) {
                        names.add(Introspector.decapitalize(name.substring(get ? 3 : 2)));
                    } else if (type.isRecord() && isComponent(name)) {
                        names.add(name);
                    }
                }
            }
            Stream.of(type.getFields())
                    .filter(field -> !Modifier.isStatic(field.getModifiers()))
                    .forEach(field -> names.add(field.getName()));
            return String.join(", ", names);
        }

        private boolean isComponent(String name) {
            return Arrays.stream(type.getRecordComponents())
                    .anyMatch(each -> each.getName().equals(name));
        }
    }

    /** {@return the first property that cannot be read, or null} */
    @Nullable
    Missing missingIn(SpelNode node) {
        if (node instanceof CompoundExpression) {
            Missing missing = missingOn(node);
            if (missing != null) {
                return missing;
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            Missing missing = missingIn(node.getChild(i));
            if (missing != null) {
                return missing;
            }
        }
        return null;
    }

    private @Nullable Missing missingOn(SpelNode path) {
        ResolvableType type = path.getChild(0) instanceof VariableReference variable ? typeOf(variable) : null;
        for (int i = 1; i < path.getChildCount() && type != null; i++) {
            Class<?> raw = type.resolve();
            if (raw == null || !saysWhatItIs(raw) || !(path.getChild(i) instanceof PropertyOrFieldReference property)) {
                return null;
            }
            ResolvableType read = read(property.getName(), raw, type);
            if (read == null) {
                return new Missing(property.getName(), raw);
            }
            type = read;
        }
        return null;
    }

    private @Nullable ResolvableType typeOf(VariableReference variable) {
        Integer position = positions.get(variable.toStringAST().substring(1));
        return position == null ? null : ResolvableType.forMethodParameter(method, position);
    }

    private static boolean saysWhatItIs(Class<?> type) {
        return !type.isInterface()
                && !type.isArray()
                && !Modifier.isAbstract(type.getModifiers())
                && type != Object.class
                && type != Optional.class
                && !Map.class.isAssignableFrom(type)
                && !Collection.class.isAssignableFrom(type);
    }

    /** As SpEL finds it: a getter, a method of that name, or a public field. */
    private static @Nullable ResolvableType read(String name, Class<?> raw, ResolvableType type) {
        String capitalized = StringUtils.capitalize(name);
        for (Method each : raw.getMethods()) {
            String getter = each.getName();
            if (isGetter(each)
                    && (getter.equals("get" + capitalized)
                            || getter.equals("get" + name)
                            || getter.equals("is" + capitalized)
                            || getter.equals("is" + name)
                            || getter.equals(name))) {
                return ResolvableType.forMethodReturnType(each, raw);
            }
        }
        for (Field each : raw.getFields()) {
            if (each.getName().equals(name)) {
                return ResolvableType.forField(each, type);
            }
        }
        return null;
    }

    private static boolean isGetter(Method method) {
        return method.getParameterCount() == 0 && method.getReturnType() != void.class;
    }
}
