/**
 * Leadership in Spring applications: {@code @LeaderOnly} methods, roles from properties, and when an instance begins and ends to
 * stand for them.
 */
@NullMarked
package io.holdfast.lock.spring.leader;

import org.jspecify.annotations.NullMarked;
