package io.holdfast.lock.explore;

import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What can be explored. A step is a number that means something to the model only; steps of a state are offered in an
 * order that depends on nothing but the state.
 *
 * @param <S> a state, mutable
 */
interface Model<S> {

    S initial();

    S copy(S state);

    void steps(S state, IntConsumer offer);

    void take(S state, int step);

    /** What the step is, in words, before it is taken; what came of it is asked for afterwards. */
    String describe(S state, int step);

    String outcome(S state);

    /** States with the same fingerprint have the same future, but for names. */
    long fingerprint(S state);

    /** What is broken in this state, or null. */
    @Nullable
    String violation(S state);
}
