package io.holdfast.lock.spring.annotation;

import org.jspecify.annotations.Nullable;

/** A lock definition, or the way its bean is set up, cannot work. Ends the start of the application. */
public final class LockDefinitionException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String action;

    /**
     * Creates an instance.
     *
     * @param problem what is wrong, and where
     * @param action what to do
     */
    public LockDefinitionException(String problem, String action) {
        this(problem, action, null);
    }

    /**
     * Creates an instance.
     *
     * @param problem what is wrong, and where
     * @param action what to do
     * @param cause why it is wrong, if something else said so
     */
    public LockDefinitionException(String problem, String action, @Nullable Throwable cause) {
        super(problem + " " + action, cause);
        this.problem = problem;
        this.action = action;
    }

    /** {@return what is wrong, and where} */
    public String problem() {
        return problem;
    }

    /** {@return what to do} */
    public String action() {
        return action;
    }
}
