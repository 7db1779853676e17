package io.holdfast.lock.migration.lock4j;

import java.util.List;
import org.openrewrite.java.MethodMatcher;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/** Methods of Lock4j that have a counterpart. */
final class Calls {

    static final MethodMatcher LOCK = new MethodMatcher(TemplateUses.TEMPLATE + " lock(String)");
    static final MethodMatcher LOCK_WITH_TIMES =
            new MethodMatcher(TemplateUses.TEMPLATE + " lock(String, long, long, ..)");
    static final MethodMatcher RELEASE =
            new MethodMatcher(TemplateUses.TEMPLATE + " releaseLock(" + TemplateUses.INFO + ")");
    static final MethodMatcher KEY = new MethodMatcher(TemplateUses.INFO + " getLockKey()");

    private Calls() {}

    /** An application has one store: a call may name an executor that Holdfast replaces, or none. */
    static boolean locks(J.MethodInvocation call) {
        List<Expression> arguments = call.getArguments();
        return LOCK.matches(call)
                || (LOCK_WITH_TIMES.matches(call) && (arguments.size() == 3 || isAnyExecutor(arguments.get(3))));
    }

    private static boolean isAnyExecutor(Expression executor) {
        return TemplateUses.isNull(executor) || Obstacles.hasCounterpart(executor);
    }

    static boolean releases(J.MethodInvocation call, J value) {
        return call.getArguments().get(0).getId().equals(value.getId());
    }
}
