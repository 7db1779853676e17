/** The annotations for locked methods and for methods that only the leader runs, and the types that belong to them. */
@NullMarked
package io.holdfast.lock.spring.annotation;

import org.jspecify.annotations.NullMarked;
