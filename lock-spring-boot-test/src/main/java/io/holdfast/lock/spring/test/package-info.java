/**
 * For tests of applications: locks in memory for a test, or a part of an application under test, and contention, loss and
 * outage at will. Doors: {@link io.holdfast.lock.spring.test.AutoConfigureTestLocks}, {@link
 * io.holdfast.lock.spring.test.TestLocks}.
 */
@NullMarked
package io.holdfast.lock.spring.test;

import org.jspecify.annotations.NullMarked;
