/** Locks under {@code /actuator}: endpoint and health. */
@NullMarked
package io.holdfast.lock.spring.autoconfigure.actuate;

import org.jspecify.annotations.NullMarked;
