/**
 * Service provider interface for stores that keep locks: {@link io.holdfast.lock.store.LockStore} and its values. Applications do
 * not need it.
 *
 * <p>Its compatibility promise is weaker than that of the API: a minor version may add methods with defaults, and components to requests
 * and replies, whose existing constructors remain. Run the store contract against each minor version.
 */
@NullMarked
package io.holdfast.lock.store;

import org.jspecify.annotations.NullMarked;
