package io.holdfast.lock.benchmarks.contention;

/** What a worker does for one run. */
interface Job {

    /** Opens clients, starts threads; is not measured. */
    void prepare() throws Exception;

    /**
     * Runs, tidies up, and tells the result.
     *
     * @param marks are called when the measuring begins and ends
     * @return a {@link Message#REPORT}
     */
    Message run(Marks marks) throws Exception;

    /** The runner reads its counters at these moments. */
    interface Marks {

        void window();

        void end();
    }
}
