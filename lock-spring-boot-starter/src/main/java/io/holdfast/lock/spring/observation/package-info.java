/** Observations of acquisitions, for applications that change their names or key values. */
@NullMarked
package io.holdfast.lock.spring.observation;

import org.jspecify.annotations.NullMarked;
