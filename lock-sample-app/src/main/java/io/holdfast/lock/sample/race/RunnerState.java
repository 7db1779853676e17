package io.holdfast.lock.sample.race;

/** How far one instance is in one race. */
enum RunnerState {
    INVITED,
    READY,
    DONE,
    /** It did not come to the start, or gave no sign of life since. What it had sold counts. */
    GONE
}
