package io.holdfast.lock.sample.race;

enum RaceState {
    /** Instances are being called to the start. */
    CALLED,
    RUNNING,
    DONE
}
