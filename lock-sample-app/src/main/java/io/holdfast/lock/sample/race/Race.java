package io.holdfast.lock.sample.race;

/** A race as it stands in the table. */
record Race(long id, int items, boolean locked, boolean pause, int workers, RaceState state, int remaining) {}
