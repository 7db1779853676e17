/** Wires store, template and advisor into an application: {@link LockProperties}. */
@NullMarked
package io.holdfast.lock.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
