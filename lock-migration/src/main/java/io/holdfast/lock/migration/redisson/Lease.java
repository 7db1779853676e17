package io.holdfast.lock.migration.redisson;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * The lease of an acquisition, if it specifies one. Redisson does not renew such a lease; a negative one counts as none.
 *
 * @param time null for none
 * @param unit null for none
 */
record Lease(@Nullable Expression time, @Nullable Expression unit) {

    static final Lease NONE = new Lease(null, null);

    static Lease of(Expression time, Expression unit) {
        boolean isNegative = (time instanceof J.Unary sign && sign.getOperator() == J.Unary.Type.Negative)
                || (time instanceof J.Literal literal
                        && literal.getValue() instanceof Number number
                        && number.longValue() < 0);
        return isNegative ? NONE : new Lease(time, unit);
    }

    boolean isGiven() {
        return time != null;
    }

    /** Code for the request with this lease; adds to the parameters. */
    String addTo(String request, List<Object> parameters) {
        if (time == null || unit == null) {
            return request;
        }
        return request + ".lease(" + duration(time, unit, parameters) + ").renew(false)";
    }

    private static String duration(Expression time, Expression unit, List<Object> parameters) {
        parameters.add(time);
        String name = unit.toString().replace("TimeUnit.", "");
        return switch (name) {
            case "NANOSECONDS" -> "Duration.ofNanos(#{any(long)})";
            case "MILLISECONDS" -> "Duration.ofMillis(#{any(long)})";
            case "SECONDS" -> "Duration.ofSeconds(#{any(long)})";
            case "MINUTES" -> "Duration.ofMinutes(#{any(long)})";
            case "HOURS" -> "Duration.ofHours(#{any(long)})";
            case "DAYS" -> "Duration.ofDays(#{any(long)})";
            default -> {
                parameters.add(unit);
                yield "Duration.of(#{any(long)}, #{any(java.util.concurrent.TimeUnit)}.toChronoUnit())";
            }
        };
    }

    @Override
    public String toString() {
        return time == null ? "" : time + " " + unit;
    }
}
