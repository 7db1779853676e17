/**
 * Locks for Spring Integration. Entry point: {@link io.holdfast.lock.spring.integration.HoldfastLockRegistry}. Used only if the
 * application has {@code spring-integration-core}.
 */
@NullMarked
package io.holdfast.lock.spring.integration;

import org.jspecify.annotations.NullMarked;
