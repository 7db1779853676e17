/**
 * What is held. Start with {@link io.holdfast.lock.engine.hold.Hold}: one lock that is held, until when, and by which
 * {@linkplain io.holdfast.lock.engine.hold.Handle handles}; {@link io.holdfast.lock.engine.hold.Hold#lose} is the only method
 * that declares a loss. {@link io.holdfast.lock.engine.hold.HeldLocks} keeps the records, by thread and by client, and reports
 * losses; {@code Watchdog} renews leases, and finds losses in time.
 */
@NullMarked
package io.holdfast.lock.engine.hold;

import org.jspecify.annotations.NullMarked;
