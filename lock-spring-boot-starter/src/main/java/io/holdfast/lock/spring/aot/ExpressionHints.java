package io.holdfast.lock.spring.aot;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.expression.ExpressionException;
import org.springframework.expression.spel.support.StandardTypeLocator;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Registers what SpEL may call by reflection when it evaluates one expression of {@link DistributedLock}.
 *
 * <p>It starts from the types that the expression can begin with (parameters, the bean itself, {@code @beans}, {@code T(types)}),
 * looks for members with a name that occurs in the expression, and continues with what these return, until it finds no new type.
 * So {@code #order.customer.id} keeps three getters and nothing else. Members that only a subclass of a declared type has are not
 * found.
 */
final class ExpressionHints {

    /** Matches everything that may be a property, method or field. Words in literal text also match, which is harmless. */
    private static final Pattern NAME = Pattern.compile("[\\p{L}_$][\\p{L}\\p{N}_$]*");

    /** {@code @name}, {@code &name} for a factory, or with the name in quotes. */
    private static final Pattern BEAN = Pattern.compile("[@&](?:'[^']+'|[\\w$]+)");

    private static final Pattern TYPE = Pattern.compile("\\bT\\s*\\(\\s*([\\w.$]+)");
    private static final String OPENER_OF_VALUE_CLASS = "unbox-impl";

    private final ReflectionHints hints;
    private final ConfigurableListableBeanFactory beans;
    private final Set<String> names = new HashSet<>();
    private final Set<String> seen = new HashSet<>();
    private final Deque<ResolvableType> open = new ArrayDeque<>();

    ExpressionHints(ReflectionHints hints, ConfigurableListableBeanFactory beans) {
        this.hints = hints;
        this.beans = beans;
    }

    void register(String expression, Method method, Class<?> type) {
        meet(ResolvableType.forClass(type));
        for (int i = 0; i < method.getParameterCount(); i++) {
            meet(ResolvableType.forMethodParameter(method, i, type));
        }
        NAME.matcher(expression)
                .results()
                .map(MatchResult::group)
                .forEach(name -> names.addAll(
                        List.of(name, "get" + StringUtils.capitalize(name), "is" + StringUtils.capitalize(name))));
        BEAN.matcher(expression).results().map(MatchResult::group).forEach(this::meetBean);
        TYPE.matcher(expression).results().map(each -> each.group(1)).forEach(this::meetType);
        while (!open.isEmpty()) {
            registerMembers(open.remove());
        }
    }

    private void meetBean(String reference) {
        String bean = reference.replaceAll("[@']", "");
        Class<?> type = beans.containsBean(bean) ? beans.getType(bean, false) : null;
        if (type != null) {
            meet(ResolvableType.forClass(type));
        }
    }

    private void meetType(String name) {
        try {
            meet(ResolvableType.forClass(new StandardTypeLocator(beans.getBeanClassLoader()).findType(name)));
        } catch (ExpressionException unknown) {
            hints.registerTypeIfPresent(beans.getBeanClassLoader(), name);
        }
    }

    /** Includes the elements of arrays and collections, since expressions can select and project. */
    private void meet(ResolvableType type) {
        if (type.isArray()) {
            meet(type.getComponentType());
        } else if (seen.add(type.toString())) {
            open.add(type);
            Stream.of(type.getGenerics()).forEach(this::meet);
        }
    }

    /**
     * The type itself and its supertypes are needed because SpEL calls a method through a public one of them, and the unboxing
     * method if it is a Kotlin value class.
     */
    private void registerMembers(ResolvableType met) {
        Class<?> type = met.resolve(Object.class);
        if (type.isPrimitive() || type == Object.class) {
            return;
        }
        hints.registerType(type);
        Stream.concat(ClassUtils.getAllInterfacesForClassAsSet(type).stream(), Stream.ofNullable(type.getSuperclass()))
                .map(ResolvableType::forClass)
                .forEach(this::meet);
        for (Method method : type.getMethods()) {
            if (names.contains(KotlinNames.of(method)) || method.getName().equals(OPENER_OF_VALUE_CLASS)) {
                hints.registerMethod(method, ExecutableMode.INVOKE);
                meet(ResolvableType.forMethodReturnType(method, type));
            }
        }
        for (Field field : type.getFields()) {
            if (names.contains(field.getName())) {
                hints.registerField(field);
                meet(ResolvableType.forField(field, type));
            }
        }
    }
}
