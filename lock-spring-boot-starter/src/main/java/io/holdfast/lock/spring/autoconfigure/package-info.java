/** Wires the store, the template and the advisor into an application, with the settings in {@link LockProperties}. */
@NullMarked
package io.holdfast.lock.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
