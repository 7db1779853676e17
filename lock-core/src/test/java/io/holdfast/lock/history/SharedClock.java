package io.holdfast.lock.history;

/** Makes sure that another process reads the same {@link System#nanoTime} as this one. */
public final class SharedClock {

    /** A thing that is asked. */
    @FunctionalInterface
    public interface Question {

        /** {@return what the other process reads on its clock between the question and its answer} */
        long ask() throws Exception;
    }

    private SharedClock() {}

    /**
     * Asks the other process for its time.
     *
     * @throws IllegalStateException if that is not between this process' times before the question and after the answer
     */
    public static void verify(Question question) throws Exception {
        long before = System.nanoTime();
        long theirs = question.ask();
        long after = System.nanoTime();
        if (theirs < before || theirs > after) {
            throw new IllegalStateException("The other process read " + theirs + " ns between " + before + " and "
                    + after + " ns here: their times cannot be compared");
        }
    }
}
