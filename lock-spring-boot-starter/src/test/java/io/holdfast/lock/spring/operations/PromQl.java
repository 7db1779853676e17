package io.holdfast.lock.spring.operations;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an expression of Prometheus refers to: enough of the language to find names that do not exist. It is not a parser; promtool
 * checks the syntax.
 *
 * @param selectors metrics, with the matchers of their labels
 * @param functions functions and aggregations
 * @param labels what it groups and joins by
 * @see <a href="https://prometheus.io/docs/prometheus/latest/querying/basics/">Querying Prometheus</a>
 */
record PromQl(List<Selector> selectors, Set<String> functions, Set<String> labels) {

    /**
     * A metric with what its labels must match.
     *
     * @param metric its name
     * @param matchers by label
     */
    record Selector(String metric, Map<String, LabelMatcher> matchers) {}

    /**
     * What a label must match.
     *
     * @param operator one of {@code = != =~ !~}
     * @param value a text or an expression
     */
    record LabelMatcher(String operator, String value) {

        /** Each alternative of an expression is meant to match something. */
        List<String> alternatives() {
            return operator.endsWith("~") ? List.of(value.split("\\|")) : List.of(value);
        }

        boolean isNegative() {
            return operator.startsWith("!");
        }
    }

    private static final Pattern TOKEN = Pattern.compile(
            "\\s*(\"[^\"]*\"|\\[[^]]*]|[a-zA-Z_:][\\w:]*|[0-9.]+[a-z]*|=~|!~|!=|==|>=|<=|[-+*/%<>=(){},])\\s*");
    private static final Pattern NAME = Pattern.compile("[a-zA-Z_:][\\w:]*");
    private static final Set<String> GROUPING = Set.of("by", "without", "on", "ignoring", "group_left", "group_right");
    private static final Set<String> OPERATORS = Set.of("and", "or", "unless", "bool", "offset");

    static PromQl parse(String expression) {
        return new Reader(tokens(expression)).read();
    }

    private static List<String> tokens(String expression) {
        List<String> tokens = new ArrayList<>();
        Matcher token = TOKEN.matcher(expression);
        int at = 0;
        while (at < expression.length()) {
            if (!token.find(at) || token.start() != at) {
                throw new IllegalArgumentException("Not understood: " + expression.substring(at));
            }
            tokens.add(token.group(1));
            at = token.end();
        }
        tokens.add("");
        return tokens;
    }

    private static final class Reader {

        private final List<String> tokens;
        private final List<Selector> selectors = new ArrayList<>();
        private final Set<String> functions = new LinkedHashSet<>();
        private final Set<String> labels = new LinkedHashSet<>();
        private int at;

        Reader(List<String> tokens) {
            this.tokens = tokens;
        }

        private String next() {
            return tokens.get(at++);
        }

        PromQl read() {
            while (at < tokens.size()) {
                String token = next();
                if (NAME.matcher(token).matches() && !OPERATORS.contains(token)) {
                    name(token, tokens.get(at));
                }
            }
            return new PromQl(selectors, functions, labels);
        }

        private void name(String name, String following) {
            if (GROUPING.contains(name)) {
                at++;
                list(")", label -> labels.add(label));
            } else if (following.equals("(") || GROUPING.contains(following)) {
                functions.add(name);
            } else {
                selectors.add(new Selector(name, following.equals("{") ? matchers() : Map.of()));
            }
        }

        private Map<String, LabelMatcher> matchers() {
            Map<String, LabelMatcher> matchers = new TreeMap<>();
            at++;
            list("}", label -> {
                String operator = next();
                String value = next();
                matchers.put(label, new LabelMatcher(operator, value.substring(1, value.length() - 1)));
            });
            return matchers;
        }

        private void list(String end, Consumer<String> element) {
            for (String token = next(); !token.equals(end); token = next()) {
                if (!token.equals(",")) {
                    element.accept(token);
                }
            }
        }
    }
}
