/** All locks of a Redis at a glance; the single ones are looked after by the package above. */
@NullMarked
package io.holdfast.lock.redis.overview;

import org.jspecify.annotations.NullMarked;
