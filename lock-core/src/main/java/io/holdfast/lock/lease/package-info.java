/**
 * Held leases and the one watchdog that renews them. Doors: {@link io.holdfast.lock.lease.Lease}, {@link io.holdfast.lock.lease.LeaseKeeper}.
 */
@NullMarked
package io.holdfast.lock.lease;

import org.jspecify.annotations.NullMarked;
