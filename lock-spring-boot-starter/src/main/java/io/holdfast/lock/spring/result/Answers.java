package io.holdfast.lock.spring.result;

import org.jspecify.annotations.Nullable;

/** What templates answer. A mock that nobody told what to do answers null. */
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
            throw notAsked(method, "answered null");
        }
        return answer;
    }

    /** What a future says that was completed although its work was never begun. */
    static IllegalStateException withoutWork(String method) {
        return notAsked(method, "is complete without having called its work");
    }

    private static IllegalStateException notAsked(String method, String problem) {
        return new IllegalStateException("LockTemplate." + method + " " + problem
                + ", so the method does not run. Is the template a mock? Then tell it what to do when " + method
                + " is called; or use @AutoConfigureTestLocks, whose locks need no Redis.");
    }
}
