package io.holdfast.lock.spring.result;

import org.jspecify.annotations.Nullable;

/** Checks the results of templates. A mock without stubs returns null. */
public final class Answers {

    private Answers() {}

    /**
     * {@return the answer}
     *
     * @param answer what was answered
     * @param method the method of the template
     * @throws IllegalStateException if it is null
     */
    public static <T> T required(@Nullable T answer, String method) {
        if (answer == null) {
            throw notAsked(method, "returned null");
        }
        return answer;
    }

    /** What a future says that was completed although its work was never begun. */
    static IllegalStateException withoutWork(String method) {
        return notAsked(method, "completed without calling the work");
    }

    private static IllegalStateException notAsked(String method, String problem) {
        return new IllegalStateException("LockTemplate." + method + " " + problem
                + ", so the method was not called. If the template is a mock, stub " + method
                + "; or use @AutoConfigureTestLocks from lock-spring-boot-test, which needs no Redis.");
    }
}
