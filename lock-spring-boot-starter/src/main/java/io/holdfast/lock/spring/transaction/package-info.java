/**
 * Locks and Spring transactions: {@link io.holdfast.lock.spring.transaction.CommitCheck} refuses commits under a
 * lost lock, {@link io.holdfast.lock.spring.transaction.CallerTransactions} keeps locks until the caller's transaction
 * has ended.
 */
@NullMarked
package io.holdfast.lock.spring.transaction;

import org.jspecify.annotations.NullMarked;
