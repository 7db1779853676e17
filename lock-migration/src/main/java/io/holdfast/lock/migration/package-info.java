/** OpenRewrite recipes that migrate applications to Holdfast: one for each library, in {@code META-INF/rewrite/holdfast.yml}. */
@NullMarked
package io.holdfast.lock.migration;

import org.jspecify.annotations.NullMarked;
