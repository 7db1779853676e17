package io.holdfast.lock.benchmarks.statistics;

/**
 * How evenly something was shared: 1 if everybody got the same, 1/n if one of n got it all.
 *
 * @see <a href="https://arxiv.org/abs/cs/9809099">Jain, Chiu, Hawe: A Quantitative Measure of Fairness (1984)</a>
 */
public final class Jain {

    private Jain() {}

    /** {@return (Σx)² / (n Σx²), or 0 if nobody got anything} */
    public static double index(long... shares) {
        double sum = 0;
        double squares = 0;
        for (long share : shares) {
            sum += share;
            squares += (double) share * share;
        }
        return squares == 0 ? 0 : sum * sum / (shares.length * squares);
    }
}
