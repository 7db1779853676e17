package io.holdfast.lock.spring.key;

import java.beans.Introspector;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
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
 * followed as far as its types tell what is read: not through interfaces and abstract classes, nor through maps, methods and
 * type variables. What a record or another final class does not have cannot be read; what another class does not have, a
 * subclass may.
 */
final class PropertyPaths {

    private final Method method;
    private final Map<String, Integer> positions;

    PropertyPaths(Method method, Map<String, Integer> positions) {
        this.method = method;
        this.positions = positions;
    }

    /** What a path names that its type does not have. */
    record Missing(String property, Class<?> type) {

        /** Whether a subclass may have it. */
        boolean mayBeThere() {
            return !Modifier.isFinal(type.getModifiers());
        }

        /** What it has instead, by the names that expressions use. */
        String available() {
            Map<String, Method> kotlin = KotlinGetters.of(type);
            TreeSet<String> names = new TreeSet<>(kotlin.keySet());
            for (Method each : type.getMethods()) {
                String name = each.getName();
                if (isGetter(each) && each.getDeclaringClass() != Object.class && !kotlin.containsValue(each)) {
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
            return names.isEmpty() ? "none" : String.join(", ", names);
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
            type = isKnown(read) ? read : null;
        }
        return null;
    }

    private @Nullable ResolvableType typeOf(VariableReference variable) {
        String name = variable.toStringAST().substring(1);
        Integer position = name.equals("root") || name.equals("this") ? null : positions.get(name);
        ResolvableType type = position == null ? null : ResolvableType.forMethodParameter(method, position);
        return type != null && isKnown(type) ? type : null;
    }

    /** Of a type variable only the bound is known. */
    private static boolean isKnown(ResolvableType type) {
        return !(type.getType() instanceof TypeVariable<?>) && !(type.getType() instanceof WildcardType);
    }

    private static boolean saysWhatItIs(Class<?> type) {
        return !type.isInterface()
                && !type.isArray()
                && !Modifier.isAbstract(type.getModifiers())
                && type != Object.class
                && type != Class.class
                && type != Optional.class
                && !Map.class.isAssignableFrom(type)
                && !Collection.class.isAssignableFrom(type);
    }

    /** As SpEL finds it, in its order: a getter, a method of that name, or a public field. */
    private static @Nullable ResolvableType read(String name, Class<?> raw, ResolvableType type) {
        String capitalized = StringUtils.capitalize(name);
        for (String getter : List.of("get" + capitalized, "get" + name, "is" + capitalized, "is" + name, name)) {
            for (Method each : raw.getMethods()) {
                if (isGetter(each) && each.getName().equals(getter)) {
                    return typed(each.getGenericReturnType(), each.getDeclaringClass(), type);
                }
            }
        }
        Method ofKotlin = KotlinGetters.of(raw).get(name);
        if (ofKotlin != null) {
            return typed(ofKotlin.getGenericReturnType(), ofKotlin.getDeclaringClass(), type);
        }
        for (Field each : raw.getFields()) {
            if (each.getName().equals(name)) {
                return typed(each.getGenericType(), each.getDeclaringClass(), type);
            }
        }
        return null;
    }

    /** With the type arguments of whom it is read from. */
    private static ResolvableType typed(Type read, Class<?> declaring, ResolvableType owner) {
        ResolvableType reader = owner.as(declaring);
        int variable = List.of((Type[]) declaring.getTypeParameters()).indexOf(read);
        return variable < 0 ? ResolvableType.forType(read, reader) : reader.getGeneric(variable);
    }

    private static boolean isGetter(Method method) {
        return method.getParameterCount() == 0 && method.getReturnType() != void.class && !method.isBridge();
    }
}
