/** Who waits for whom: what this client tells the store of its callers that wait while holding locks, and the cycles among all. */
@NullMarked
package io.holdfast.lock.engine.deadlock;

import org.jspecify.annotations.NullMarked;
