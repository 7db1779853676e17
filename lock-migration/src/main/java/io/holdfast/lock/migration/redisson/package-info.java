/** Recipes for the locks of Redisson. */
@NullMarked
package io.holdfast.lock.migration.redisson;

import org.jspecify.annotations.NullMarked;
