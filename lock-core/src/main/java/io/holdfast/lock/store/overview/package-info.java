/** What a store tells of all its locks at a glance, beside what {@link io.holdfast.lock.store.LockStore} does for single ones. */
@NullMarked
package io.holdfast.lock.store.overview;

import org.jspecify.annotations.NullMarked;
