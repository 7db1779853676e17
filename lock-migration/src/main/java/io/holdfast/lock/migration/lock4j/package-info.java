/** Recipes for Lock4j. */
@NullMarked
package io.holdfast.lock.migration.lock4j;

import org.jspecify.annotations.NullMarked;
