/**
 * The locks that are held. Start with {@link io.holdfast.lock.engine.hold.Hold}: one held lock, how long it is held, and by
 * which {@linkplain io.holdfast.lock.engine.hold.Handle handles}; {@link io.holdfast.lock.engine.hold.Hold#lose} is the only
 * method that declares a loss. {@link io.holdfast.lock.engine.hold.HeldLocks} keeps the records, by thread and by client, and
 * reports losses; {@code Watchdog} renews leases, and detects losses in time.
 */
@NullMarked
package io.holdfast.lock.engine.hold;

import org.jspecify.annotations.NullMarked;
