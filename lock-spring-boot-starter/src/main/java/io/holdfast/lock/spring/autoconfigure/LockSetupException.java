package io.holdfast.lock.spring.autoconfigure;

import org.jspecify.annotations.Nullable;

/** Locks cannot work with the configuration of the application, which fails to start. */
final class LockSetupException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String action;

    LockSetupException(String problem, String action, @Nullable Throwable cause) {
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
