package io.holdfast.lock.spring.aop;

import org.jspecify.annotations.Nullable;

/** A lock definition, or the way its bean is set up, cannot work. Ends the start of the application. */
final class LockDefinitionException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String action;

    /**
     * Creates an instance.
     *
     * @param problem what is wrong, and where
     * @param action what to do
     */
    LockDefinitionException(String problem, String action) {
        this(problem, action, null);
    }

    LockDefinitionException(String problem, String action, @Nullable Throwable cause) {
        super(problem + " " + action, cause);
        this.problem = problem;
        this.action = action;
    }

    String problem() {
        return problem;
    }

    String action() {
        return action;
    }
}
