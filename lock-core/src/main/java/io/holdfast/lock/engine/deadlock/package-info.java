/**
 * Who waits for whom: reports to the store about callers of this client that wait while holding locks, and cycles among the
 * waits of all clients.
 */
@NullMarked
package io.holdfast.lock.engine.deadlock;

import org.jspecify.annotations.NullMarked;
