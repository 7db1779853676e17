package io.holdfast.lock.spring.key;

import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
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
    private final LockedPlace place;
    private final KeyVariables variables;
    private final List<String> unknown;

    private KeyExpression(SpelExpression expression, LockedPlace place) {
        this.expression = expression;
        this.place = place;
        this.variables = KeyVariables.of(place.method(), place.names());
        this.unknown = variables.unknownIn(expression);
    }

    /**
     * Reads an expression.
     *
     * @throws LockDefinitionException if the text is no expression
     */
    static KeyExpression parse(String text, LockedPlace place) {
        try {
            return new KeyExpression(PARSER.parseRaw(text), place);
        } catch (ParseException | IllegalStateException e) {
            throw new LockDefinitionException(
                    place.description() + " has key = \"" + text + "\", which is no expression: " + e.getMessage()
                            + ".",
                    "Put literal text in single quotes: key = \"'nightly'\" or key = \"'order:' + #id\".",
                    e);
        }
    }

    String evaluate(@Nullable Object target, Class<?> targetClass, @Nullable Object[] args) {
        refuseUnknownVariables();
        return KeyText.of(value(new KeyRoot(place.method(), target, targetClass, args)), this);
    }

    private @Nullable Object value(KeyRoot call) {
        var context = new MethodBasedEvaluationContext(call, call.getMethod(), call.getArgs(), place.names());
        context.setBeanResolver(place.beans());
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
                place.description() + ", key \"" + text() + "\": "
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
