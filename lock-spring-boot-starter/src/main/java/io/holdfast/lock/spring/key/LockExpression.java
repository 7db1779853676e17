package io.holdfast.lock.spring.key;

import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * An expression of one annotated method. Parsed and checked once; evaluated once for each call.
 *
 * <p>SpEL reads a variable that nobody set as null, so a misspelt {@code 'order:' + #ordr} would be the same key for
 * all. Therefore the variables are compared with the method's parameters when the expression is read.
 *
 * <p>It is interpreted, never compiled: where compiled code fails, SpEL evaluates the whole expression a second time, and
 * so would call beans twice.
 */
final class LockExpression {

    private static final Logger log = LoggerFactory.getLogger(LockExpression.class);
    private static final SpelExpressionParser PARSER =
            new SpelExpressionParser(new SpelParserConfiguration(SpelCompilerMode.OFF, null));

    private final String attribute;
    private final SpelExpression expression;
    private final LockedPlace place;
    private final KeyVariables variables;
    private final CallContext.Shared shared;

    private LockExpression(String attribute, SpelExpression expression, LockedPlace place) {
        this.attribute = attribute;
        this.expression = expression;
        this.place = place;
        this.variables = KeyVariables.of(place.method(), place.annotated(), place.names());
        this.shared = CallContext.shared(place, variables);
    }

    /**
     * Reads an expression.
     *
     * @param attribute where it stands
     * @throws LockDefinitionException if the text is no expression, or names what is not there
     */
    static LockExpression parse(String attribute, String text, LockedPlace place) {
        LockExpression parsed;
        try {
            parsed = new LockExpression(attribute, PARSER.parseRaw(text), place);
        } catch (ParseException | IllegalStateException e) {
            throw new LockDefinitionException(
                    place.description() + " has " + attribute + " = \"" + text + "\", which is not a valid expression: "
                            + e.getMessage() + ".",
                    text.contains("#{")
                            ? "Remove #{ and }: \"#order.id\"."
                            : "Correct the expression. Literal text needs single quotes: \"'nightly'\" or \"'order:' + #id\".",
                    e);
        }
        parsed.refuseUnknown();
        return parsed;
    }

    private void refuseUnknown() {
        var unknown = variables.unknownIn(expression.getAST());
        if (!unknown.isEmpty()) {
            throw refuse(
                    "the method has no parameter " + String.join(", ", unknown),
                    "Correct the name. " + variables.describe());
        }
        var loose = ExpressionNodes.unknownProperties(expression.getAST());
        if (!loose.isEmpty()) {
            throw refuse("'" + loose.get(0) + "' is neither a parameter nor literal text", advice());
        }
        var missing = new PropertyPaths(place.method(), variables.positions()).missingIn(expression.getAST());
        if (missing != null) {
            refuseOrWarnOf(missing);
        }
    }

    private void refuseOrWarnOf(PropertyPaths.Missing missing) {
        String type = missing.type().getSimpleName();
        String problem = type + " has no readable property '" + missing.property() + "'";
        String action = "Correct the name. Available properties: " + missing.available() + ".";
        if (!missing.mayBeThere()) {
            throw refuse(problem, action);
        }
        log.warn(
                "{} has {} = \"{}\", but {}: calls fail unless the argument is an instance of a subclass that has"
                        + " it. {}",
                place.description(),
                attribute,
                text(),
                problem,
                action);
    }

    /** {@return the position of the parameter that it consists of; -1 if it is more than that} */
    int position() {
        String text = text();
        Integer position = text.startsWith("#") ? variables.positions().get(text.substring(1)) : null;
        return position == null ? -1 : position;
    }

    LockDefinitionException refuse(String problem, String action) {
        return new LockDefinitionException(
                place.description() + " has " + attribute + " = \"" + text() + "\", but " + problem + ".", action);
    }

    private String advice() {
        String literal = text().matches("[\\w.:-]+") ? "Literal text needs single quotes: \"'" + text() + "'\". " : "";
        return literal + "Parameters start with #. " + variables.describe();
    }

    /** {@return the context of one call, for this expression and others of its place} */
    CallContext context(@Nullable Object target, Class<?> targetClass, @Nullable Object[] args) {
        return shared.context(new KeyRoot(place.method(), target, targetClass, args));
    }

    /**
     * {@return what it yields}
     *
     * @throws LockKeyException if it cannot be evaluated, or joins a text with null
     */
    @Nullable
    Object value(CallContext call) {
        Object value;
        String nothing;
        try {
            value = expression.getValue(call);
            nothing = value instanceof String text ? NullPart.of(expression.getAST(), text, call) : null;
        } catch (RuntimeException e) {
            throw failure(
                    NullPart.before(e, text())
                            .map(part -> part + " is null. Check the argument before the call.")
                            .orElseGet(() -> "the expression cannot be evaluated: " + e.getMessage() + ". "
                                    + variables.describe()),
                    e);
        }
        if (nothing != null) {
            throw failure(
                    nothing
                            + " is null, so all callers without a value would share one key. Check the argument"
                            + " before the call, or give a default: " + nothing
                            + " ?: 'none'.",
                    null);
        }
        return value;
    }

    LockKeyException failure(String problem, @Nullable Throwable cause) {
        return new LockKeyException(place.description() + ", " + attribute + " \"" + text() + "\": " + problem, cause);
    }

    boolean hasText() {
        return ExpressionNodes.hasTextOfItsOwn(expression.getAST());
    }

    String text() {
        return expression.getExpressionString();
    }
}
