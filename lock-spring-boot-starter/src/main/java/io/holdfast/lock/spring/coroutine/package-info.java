/** Kotlin functions, as seen in their compiled methods. Needs no Kotlin classes. */
@NullMarked
package io.holdfast.lock.spring.coroutine;

import org.jspecify.annotations.NullMarked;
