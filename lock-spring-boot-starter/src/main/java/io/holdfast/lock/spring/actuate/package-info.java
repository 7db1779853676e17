/** Locks under {@code /actuator}: endpoint and health. */
@NullMarked
package io.holdfast.lock.spring.actuate;

import org.jspecify.annotations.NullMarked;
