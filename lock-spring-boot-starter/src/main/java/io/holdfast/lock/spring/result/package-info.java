/**
 * What a locked method returns: {@link io.holdfast.lock.spring.result.ResultKind}; and methods whose work begins after the call: {@link
 * io.holdfast.lock.spring.result.PublisherLock}, {@link io.holdfast.lock.spring.result.SuspendSupport}.
 */
@NullMarked
package io.holdfast.lock.spring.result;

import org.jspecify.annotations.NullMarked;
