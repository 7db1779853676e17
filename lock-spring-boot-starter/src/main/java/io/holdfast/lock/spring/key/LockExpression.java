package io.holdfast.lock.spring.key;

import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.coroutine.SuspendFunctions;
import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ParseException;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.ExpressionState;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelEvaluationException;
import org.springframework.expression.spel.SpelMessage;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.Elvis;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpPlus;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Ternary;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * An expression of one annotated method. Parsed and checked once; evaluated once for each call.
 *
 * <p>SpEL evaluates an unset variable to null, so a misspelled {@code 'order:' + #ordr} would be the same key for all callers.
 * Therefore the variables are compared with the method's parameters when the expression is parsed.
 *
 * <p>It is interpreted, never compiled: if compiled code fails, SpEL evaluates the whole expression a second time, which would
 * call beans twice.
 */
public final class LockExpression {

    private static final SpelExpressionParser PARSER =
            new SpelExpressionParser(new SpelParserConfiguration(SpelCompilerMode.OFF, null));

    private static final ParameterNameDiscoverer PARAMETER_NAMES = new DefaultParameterNameDiscoverer();
    private static final Set<String> ROOT_PROPERTIES =
            Set.of("method", "methodName", "target", "targetClass", "args", "class");

    private static final Set<SpelMessage> OF_NULL = Set.of(
            SpelMessage.PROPERTY_OR_FIELD_NOT_READABLE_ON_NULL, SpelMessage.METHOD_CALL_ON_NULL_OBJECT_NOT_ALLOWED);

    private static final Pattern WRITTEN_BEFORE_A_DOT = Pattern.compile("([#@][^#@+\\s]*)\\.$");

    private final Scope scope;
    private final String attribute;
    private final SpelExpression expression;

    /** What the expressions of one annotated method may refer to. */
    public static final class Scope {

        private final Method method;
        private final String where;
        private final Map<String, Integer> named = new LinkedHashMap<>();
        private final Map<String, Integer> variables = new LinkedHashMap<>();
        private final StandardEvaluationContext shared = new StandardEvaluationContext();

        /**
         * Creates an instance. Parameters have the names from the annotated method, which may be in an interface, and those from
         * the method itself. If a name refers to two parameters, the annotated method takes precedence.
         *
         * @param method the method of the target class
         * @param annotated the method with the annotation: {@code method}, or one that it implements or overrides; {@code method}
         *     if the annotation is on a class
         * @param where the annotated element, for messages
         * @param beans resolves the beans that expressions refer to as {@code @name}
         */
        public Scope(Method method, Method annotated, String where, BeanResolver beans) {
            this.method = method;
            this.where = where;
            int count = SuspendFunctions.argumentCount(method);
            addNames(PARAMETER_NAMES.getParameterNames(annotated), count);
            addNames(PARAMETER_NAMES.getParameterNames(method), count);
            for (int i = 0; i < count; i++) {
                variables.put("p" + i, i);
                variables.put("a" + i, i);
            }
            variables.putAll(named);
            shared.setBeanResolver(beans);
            shared.setPropertyAccessors(List.of(new KotlinValues.Properties()));
            shared.setTypeConverter(new LockKeys.Joined());
            // not a method of the root: SpEL would turn a list into several arguments
            shared.addMethodResolver((context, target, name, types) -> target instanceof Root && name.equals("parts")
                    ? (evaluation, root, values) -> new TypedValue(LockKeys.join(values))
                    : null);
            shared.setTypeLocator(
                    new StandardTypeLocator(method.getDeclaringClass().getClassLoader()));
        }

        private void addNames(@Nullable String @Nullable [] names, int count) {
            for (int i = 0; names != null && i < count; i++) {
                if (names[i] != null) {
                    named.putIfAbsent(names[i], i);
                }
            }
        }

        /** {@return the parameters whose names are available} */
        public Set<String> names() {
            return named.keySet();
        }

        /**
         * {@return one call of the method}
         *
         * @param target the object on which the method is called
         * @param args the arguments of the call
         */
        public Call call(@Nullable Object target, @Nullable Object[] args) {
            return new Call(this, new Root(method, target, args));
        }

        /** Lists what can be used instead, and explains why a name may be missing. */
        private String available() {
            Set<String> usable = new LinkedHashSet<>(named.keySet());
            usable.addAll(variables.keySet());
            usable.removeIf(name -> name.matches("a\\d+") && !named.containsKey(name));
            usable.add("root");
            String list = "Available: #" + String.join(", #", usable) + ", parts(…).";
            return named.isEmpty() && !variables.isEmpty()
                    ? list + " Parameter names are not available: compile with -parameters, or use positions."
                    : list;
        }
    }

    /** {@code #root}. */
    @SuppressWarnings("ArrayRecordComponent") // the arguments, without a copy; never compared
    record Root(
            Method method,
            @Nullable Object target,
            @Nullable Object[] args) {

        public String methodName() {
            return KotlinNames.of(method);
        }

        public Class<?> targetClass() {
            return target == null ? method.getDeclaringClass() : AopUtils.getTargetClass(target);
        }
    }

    /**
     * The evaluation context of one call. It looks arguments up in place, so it costs the same for one argument and for twenty.
     *
     * <p>Assignments are disabled: a key is derived from the call, and does not change it.
     */
    public static final class Call extends StandardEvaluationContext {

        private final Map<String, Integer> variables;
        private final @Nullable Object[] args;

        private Call(Scope scope, Root root) {
            super(root);
            variables = scope.variables;
            args = root.args();
            scope.shared.applyDelegatesTo(this);
        }

        @Override
        public @Nullable Object lookupVariable(String name) {
            Integer position = variables.get(name);
            return position == null ? null : args[position];
        }

        @Override
        public boolean isAssignmentEnabled() {
            return false;
        }
    }

    /**
     * Parses an expression.
     *
     * @param attribute the attribute that contains it
     * @param text the expression
     * @param scope what it may refer to
     * @throws LockConfigurationException if the text is not an expression, or refers to something that does not exist
     */
    public LockExpression(String attribute, String text, Scope scope) {
        this.scope = scope;
        this.attribute = attribute;
        try {
            this.expression = PARSER.parseRaw(text);
        } catch (ParseException | IllegalStateException e) {
            throw new LockConfigurationException(
                    scope.where + " has " + attribute + " = \"" + text + "\", which is not a valid expression: "
                            + e.getMessage() + ".",
                    text.contains("#{")
                            ? "Remove #{ and }: \"#order.id\"."
                            : "Correct the expression. Literal text needs single quotes: \"'nightly'\" or \"'order:' +"
                                    + " #id\". "
                                    + (attribute.equals("keys")
                                            ? "For several keys, write keys = {\"#from\", \"#to\"}."
                                            : "Several values are joined by parts(#shop, #id)."),
                    e);
        }
        requireVariables(expression.getAST());
        requireNoProperty(expression.getAST());
    }

    private void requireVariables(SpelNode node) {
        if (node instanceof VariableReference || node instanceof FunctionReference) {
            String name = node.toStringAST().substring(1).split("\\(", 2)[0];
            if (!name.equals("root") && !name.equals("this") && !scope.variables.containsKey(name)) {
                throw refuse("the method has no parameter #" + name, "Correct the name. " + scope.available());
            }
        }
        for (int i = 0; i < node.getChildCount(); i++) {
            requireVariables(node.getChild(i));
        }
    }

    /**
     * Rejects a property or function that {@code #root} does not have: usually unquoted text. Checks only parts that are evaluated on
     * the root.
     */
    private void requireNoProperty(SpelNode node) {
        if (node instanceof MethodReference function
                && (!function.getName().equals("parts") || function.getChildCount() == 0)) {
            throw refuse(
                    function.getName().equals("parts")
                            ? "parts needs at least one value"
                            : "there is no function " + node.toStringAST(),
                    "Write parts(#shop, #id) to join values into one key, or @bean.method(#id) to call a bean.");
        }
        if (node instanceof PropertyOrFieldReference property && !ROOT_PROPERTIES.contains(property.getName())) {
            String literal =
                    "'" + text().replaceAll("#\\w+(\\.\\w+)*", "' + $0 + '") + "'"; // order-#id: 'order-' + #id
            String quoted = text().matches("[\\w.:#-]+")
                    ? "Literal text needs single quotes: \"" + literal.replaceAll("^''.\\+.|.\\+.''$", "") + "\". "
                    : "";
            throw refuse(
                    "'" + property.getName() + "' is neither a parameter nor literal text",
                    quoted + "Parameters start with #. " + scope.available());
        }
        int onRoot = node instanceof CompoundExpression ? 1 : node.getChildCount();
        for (int i = 0; i < onRoot; i++) {
            requireNoProperty(node.getChild(i));
        }
    }

    private LockConfigurationException refuse(String problem, String action) {
        return new LockConfigurationException(
                scope.where + " has " + attribute + " = \"" + text() + "\", but " + problem + ".", action);
    }

    /**
     * {@return the value of the expression}
     *
     * @param call the call
     * @throws LockKeyException if it cannot be evaluated, or concatenates text with null
     */
    @Nullable
    Object value(Call call) {
        Object value;
        String missing;
        try {
            value = expression.getValue(call);
            missing = (value instanceof String || expression.getAST() instanceof InlineList)
                            && String.valueOf(value).contains("null")
                    ? nullOperand(expression.getAST(), new ExpressionState(call))
                    : null;
        } catch (RuntimeException e) {
            throw failure(reason(e), e);
        }
        if (missing != null) {
            throw failure(missing
                    + " is null, so all callers without a value would share one key. Check the argument"
                    + " before the call, or provide a default: " + missing
                    + " ?: 'none'.");
        }
        return value;
    }

    /**
     * {@return the value of the expression, as a condition}
     *
     * @param call the call
     * @throws LockKeyException if it yields neither true nor false
     */
    public boolean isTrue(Call call) {
        Object value = value(call);
        if (value instanceof Boolean answer) {
            return answer;
        }
        throw failure("the expression evaluates to "
                + (value == null ? "null" : "a " + value.getClass().getName())
                + ", but must evaluate to true or false.");
    }

    /**
     * Finds the null in {@code 'order-' + #id}, which SpEL turns into the text "null": one key for all callers. What SpEL
     * concatenates cannot be observed from outside. So if the text contains "null", and only then, its operands are evaluated
     * once more.
     */
    private static @Nullable String nullOperand(SpelNode node, ExpressionState state) {
        if (node instanceof OpPlus || node instanceof InlineList || node instanceof MethodReference) {
            for (int i = 0; i < node.getChildCount(); i++) {
                SpelNode part = node.getChild(i);
                String found = nullOperand(part, state);
                if (found != null) {
                    return found;
                }
                if (node instanceof OpPlus && LockKeys.unwrapped(part.getValue(state)) == null) {
                    return part.toStringAST();
                }
            }
        } else if (node instanceof Ternary) {
            boolean first = Boolean.TRUE.equals(node.getChild(0).getValue(state));
            return nullOperand(node.getChild(first ? 1 : 2), state);
        } else if (node instanceof Elvis) {
            Object value = node.getChild(0).getValue(state);
            return nullOperand(node.getChild(value == null || value.equals("") ? 1 : 0), state);
        }
        return null;
    }

    private String reason(RuntimeException failure) {
        if (failure instanceof SpelEvaluationException spel && OF_NULL.contains(spel.getMessageCode())) {
            int end = Math.min(Math.max(spel.getPosition(), 0), text().length());
            Matcher part = WRITTEN_BEFORE_A_DOT.matcher(text().substring(0, end));
            if (part.find()) {
                return part.group(1) + " is null. Check the argument before the call.";
            }
        }
        return failure instanceof LockKeyException
                ? String.valueOf(failure.getMessage())
                : "the expression cannot be evaluated: " + failure.getMessage() + ". " + scope.available()
                        + (text().contains("![") ? " Inside ![…], write #root.parts(…)." : "");
    }

    LockKeyException failure(String problem) {
        return failure(problem, null);
    }

    LockKeyException failure(String problem, @Nullable Throwable cause) {
        return new LockKeyException(scope.where + ", " + attribute + " \"" + text() + "\": " + problem, cause);
    }

    /** {@return the expression as written, except that placeholders are resolved} */
    public String text() {
        return expression.getExpressionString();
    }
}
