/**
 * Leadership in Spring applications: {@code @LeaderOnly} methods, roles from properties, and when an instance starts and stops
 * being a candidate for them.
 */
@NullMarked
package io.holdfast.lock.spring.leader;

import org.jspecify.annotations.NullMarked;
