/** Runs annotated methods under their lock: {@link LockAdvisor}, and {@link LockStartupCheck}, which detects what cannot work. */
@NullMarked
package io.holdfast.lock.spring.aop;

import org.jspecify.annotations.NullMarked;
