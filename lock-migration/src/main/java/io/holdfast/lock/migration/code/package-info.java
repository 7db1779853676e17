/** What the recipes have in common: templates, notes in the code, annotations, variables. */
@NullMarked
package io.holdfast.lock.migration.code;

import org.jspecify.annotations.NullMarked;
