package io.holdfast.lock.sample.race;

/**
 * An item that was sold, or that was not sold because the write came too late.
 *
 * @param item its number; two sales of the same number are one too many
 * @param fencingToken the token of the lock under which it was sold; 0 without the lock
 * @param refused whether the write was refused, because a holder with a newer token had written
 */
record Sale(long id, String instance, int item, long fencingToken, boolean refused) {}
