package io.holdfast.lock.store;

/**
 * Where an acquisition comes from, for people who look at the lock.
 *
 * @param host the machine
 * @param pid the process
 * @param thread the thread's name
 */
public record HolderInfo(String host, long pid, String thread) {}
