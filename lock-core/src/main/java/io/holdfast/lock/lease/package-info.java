/**
 * Held leases, and the watchdog that renews them and detects losses in time.
 *
 * <p>Start with {@link io.holdfast.lock.lease.Lease}: one lock that is held, made of a
 * {@link io.holdfast.lock.lease.Grant} (what the store has granted) and {@link io.holdfast.lock.lease.LeaseTerms} (how to treat
 * it); {@link io.holdfast.lock.lease.Lease#lose} is the only way to a loss. Go on with
 * {@link io.holdfast.lock.lease.LeaseKeeper}, the watchdog, which names the classes that it is made of. It reports to
 * {@link io.holdfast.lock.lease.LeaseEvents}, which the engine implements.
 *
 * <p>{@link io.holdfast.lock.lease.ServerWorkers} are the per-server workers: threads that call the store in the background, for
 * renewals here, and for what the engine tidies up (acquisitions that are undone, releases that are repeated, queue entries that
 * are given up).
 *
 * <p>Files depend on each other one way: {@code LeaseKeeper → LeaseSchedule, DueLeases, RenewalLoop → Lease → Batch → Alarms}.
 */
@NullMarked
package io.holdfast.lock.lease;

import org.jspecify.annotations.NullMarked;
