/** Recipes for {@code RedisLockRegistry} of Spring Integration. */
@NullMarked
package io.holdfast.lock.migration.integration;

import org.jspecify.annotations.NullMarked;
