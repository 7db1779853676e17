package io.holdfast.lock.sample.race;

/** A race as it stands in the table. */
record Race(long id, int items, boolean locked, int workers, RaceState state, int remaining) {}
