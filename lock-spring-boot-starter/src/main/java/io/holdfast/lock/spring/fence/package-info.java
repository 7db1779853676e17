/**
 * A fence in the database: {@link io.holdfast.lock.spring.fence.TransactionFence} refuses the transactions of a holder that is late, as
 * {@link io.holdfast.lock.spring.fence.FenceTable} knows a later one. Needs {@code spring-jdbc}; nothing else needs this package.
 */
@NullMarked
package io.holdfast.lock.spring.fence;

import org.jspecify.annotations.NullMarked;
