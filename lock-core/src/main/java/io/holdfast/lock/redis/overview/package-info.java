/** Overviews of all locks in Redis; the parent package implements the operations on single locks. */
@NullMarked
package io.holdfast.lock.redis.overview;

import org.jspecify.annotations.NullMarked;
