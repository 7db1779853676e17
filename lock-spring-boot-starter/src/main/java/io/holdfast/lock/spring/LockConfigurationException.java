package io.holdfast.lock.spring;

import org.jspecify.annotations.Nullable;

/** A lock definition, the setup of its bean, or the configuration of locks is invalid. The application fails to start. */
public final class LockConfigurationException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String action;

    /**
     * Creates an instance.
     *
     * @param problem what is wrong, and where
     * @param action what to do
     */
    public LockConfigurationException(String problem, String action) {
        this(problem, action, null);
    }

    /**
     * Creates an instance.
     *
     * @param problem what is wrong, and where
     * @param action what to do
     * @param cause the cause, if any
     */
    public LockConfigurationException(String problem, String action, @Nullable Throwable cause) {
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
