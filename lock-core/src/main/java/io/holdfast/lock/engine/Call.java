package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.waiting.Budget;

/**
 * One caller's wish for one lock.
 *
 * @param key what to lock
 * @param terms how
 * @param budget how long to wait
 * @param bound whether the hold ends when this thread dies
 * @param interruptible whether an interrupt ends the wait; never true for one try
 */
record Call(LockKey key, Terms terms, Budget budget, boolean bound, boolean interruptible) {}
