/** Kotlin's functions, as their compiled methods show them. Needs no class of Kotlin. */
@NullMarked
package io.holdfast.lock.spring.coroutine;

import org.jspecify.annotations.NullMarked;
