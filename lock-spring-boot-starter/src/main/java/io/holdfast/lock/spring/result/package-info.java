/**
 * What a locked method returns, and how long its lock is held: {@link io.holdfast.lock.spring.result.ResultKind}, and {@link
 * io.holdfast.lock.spring.result.AsyncResults} for results that are not complete yet.
 */
@NullMarked
package io.holdfast.lock.spring.result;

import org.jspecify.annotations.NullMarked;
