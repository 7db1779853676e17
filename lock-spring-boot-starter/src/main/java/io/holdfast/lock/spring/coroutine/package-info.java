/** Kotlin's suspend functions, as Spring's interceptors see them. The only package that knows Kotlin. */
@NullMarked
package io.holdfast.lock.spring.coroutine;

import org.jspecify.annotations.NullMarked;
