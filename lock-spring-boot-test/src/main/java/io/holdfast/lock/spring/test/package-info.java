/**
 * For tests of applications: locks in memory for whole applications or test slices, and simulated contention, loss and outages.
 * Entry points: {@link io.holdfast.lock.spring.test.AutoConfigureTestLocks}, {@link io.holdfast.lock.spring.test.TestLocks}.
 */
@NullMarked
package io.holdfast.lock.spring.test;

import org.jspecify.annotations.NullMarked;
