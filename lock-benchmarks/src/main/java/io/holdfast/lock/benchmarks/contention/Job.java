package io.holdfast.lock.benchmarks.contention;

/** The task of a worker in one run. */
interface Job {

    /** Opens clients and starts threads; not measured. */
    void prepare() throws Exception;

    /**
     * Runs, cleans up, and reports the result.
     *
     * @param marks called when the measurement begins and ends
     * @return a {@link Message#REPORT}
     */
    Message run(Marks marks) throws Exception;

    /** The runner reads its counters at these moments. */
    interface Marks {

        void window();

        void end();
    }
}
