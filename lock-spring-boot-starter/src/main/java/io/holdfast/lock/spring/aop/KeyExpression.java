package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockKeyException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * The {@code key} of one annotated method. Parsed once; evaluated once for each call.
 *
 * <p>SpEL reads a variable that nobody set as null, so a misspelt {@code 'order:' + #ordr} would be the same key for
 * all. Therefore the variables are compared with the method's parameters before the expression is evaluated.
 */
final class KeyExpression {

    private static final SpelExpressionParser PARSER = new SpelExpressionParser();

    private final SpelExpression expression;
    private final String where;
    private final ParameterNameDiscoverer names;
    private final KeyVariables variables;
    private final List<String> unknown;

    private KeyExpression(SpelExpression expression, Method method, String where, ParameterNameDiscoverer names) {
        this.expression = expression;
        this.where = where;
        this.names = names;
        this.variables = KeyVariables.of(method, names);
        this.unknown = variables.unknownIn(expression);
    }

    /**
     * @param where the annotated place, for messages
     * @throws LockDefinitionException if the text is no expression
     */
    static KeyExpression parse(String text, Method method, String where, ParameterNameDiscoverer names) {
        try {
            return new KeyExpression(PARSER.parseRaw(text), method, where, names);
        } catch (ParseException | IllegalStateException e) {
            throw new LockDefinitionException(
                    where + " has key = \"" + text + "\", which is no expression: " + e.getMessage() + ".",
                    "Put literal text in single quotes: key = \"'nightly'\" or key = \"'order:' + #id\".",
                    e);
        }
    }

    String evaluate(KeyRoot call, BeanResolver beans) {
        refuseUnknownVariables();
        return KeyText.of(value(call, beans), this);
    }

    private @Nullable Object value(KeyRoot call, BeanResolver beans) {
        var context = new MethodBasedEvaluationContext(call, call.getMethod(), call.getArgs(), names);
        context.setBeanResolver(beans);
        try {
            return expression.getValue(context);
        } catch (RuntimeException e) {
            throw failure("it cannot be evaluated: " + e.getMessage() + ". " + advice(), e);
        }
    }

    private String advice() {
        String literal = text().matches("[\\w.:-]+") ? "Literal text needs single quotes: \"'" + text() + "'\". " : "";
        return literal + variables.describe();
    }

    private void refuseUnknownVariables() {
        if (!unknown.isEmpty()) {
            throw failure(
                    "the method has no parameter " + String.join(", ", unknown) + ". " + variables.describe(), null);
        }
    }

    LockKeyException failure(@Nullable String problem, @Nullable Throwable cause) {
        return new LockKeyException(
                where + ", key \"" + text() + "\": "
                        + Optional.ofNullable(problem).orElse("no key"),
                cause);
    }

    boolean hasText() {
        return KeyVariables.hasTextOfItsOwn(expression.getAST());
    }

    String text() {
        return expression.getExpressionString();
    }
}
