package io.holdfast.lock.benchmarks.contention;

/**
 * How often a lock passes from one client to the other.
 *
 * @param warmUp how often before measuring starts
 * @param warmUpMillis or for how long, whichever ends first
 * @param measured how often while measuring
 */
public record Turns(int warmUp, long warmUpMillis, int measured) {}
