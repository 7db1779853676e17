package io.holdfast.lock.benchmarks.contention;

/**
 * How often a lock goes from one client to the other.
 *
 * @param warmUp how often before that is measured
 * @param warmUpMillis or how long, whatever is over first
 * @param measured how often then
 */
public record Turns(int warmUp, long warmUpMillis, int measured) {}
