package io.holdfast.lock.benchmarks.contention;

/**
 * Who contends for one key, and how.
 *
 * @param processes the number of JVMs
 * @param clients the number of clients in each JVM, each with its own connections
 * @param threads the number of threads per client
 * @param holdMicros how long the critical section sleeps; 0 for not at all
 * @param pauseMicros how long a thread sleeps before it locks again
 */
public record Load(int processes, int clients, int threads, long holdMicros, long pauseMicros) {

    public static Load processes(int processes, int threads) {
        return new Load(processes, 1, threads, 0, 0);
    }

    public static Load clients(int clients, int threads, long holdMicros) {
        return new Load(1, clients, threads, holdMicros, 0);
    }
}
