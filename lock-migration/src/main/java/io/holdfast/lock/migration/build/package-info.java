/** Recipes for dependencies. */
@NullMarked
package io.holdfast.lock.migration.build;

import org.jspecify.annotations.NullMarked;
