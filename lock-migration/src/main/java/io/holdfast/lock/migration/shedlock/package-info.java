/** Recipes for ShedLock. */
@NullMarked
package io.holdfast.lock.migration.shedlock;

import org.jspecify.annotations.NullMarked;
