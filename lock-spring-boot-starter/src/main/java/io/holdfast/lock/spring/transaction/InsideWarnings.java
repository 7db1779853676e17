package io.holdfast.lock.spring.transaction;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Says of each method once that its lock was first taken inside a transaction, and why that may not be meant. */
final class InsideWarnings {

    private static final Logger log = LoggerFactory.getLogger(JoinedTransactions.class);

    private final Set<String> warned = ConcurrentHashMap.newKeySet();

    void warn(String caller, LockRequest request, LockTemplate locks, boolean kept) {
        if (warned.contains(caller) || isHeldBefore(request, locks) || !warned.add(caller)) {
            return;
        }
        if (kept) {
            log.warn(
                    "{} acquires lock '{}' inside {}, which is already running. Data that the transaction has"
                            + " already read may be stale. Acquire the lock before the transaction begins, or run"
                            + " the method in its own transaction (REQUIRES_NEW). The lock is held until the"
                            + " transaction completes.",
                    caller,
                    request.key(),
                    transaction());
        } else {
            log.warn(
                    "{} acquires lock '{}' inside {}, which is already running, and releases it before the commit:"
                            + " the next holder does not see what the transaction wrote. Set"
                            + " holdfast.transactions.release-after-completion=true, or acquire the lock before the transaction"
                            + " begins.",
                    caller,
                    request.key(),
                    transaction());
        }
    }

    /** One that was begun with a TransactionTemplate has no name. */
    static String transaction() {
        String name = TransactionSynchronizationManager.getCurrentTransactionName();
        return name == null ? "a transaction" : "transaction '" + name + "'";
    }

    private static boolean isHeldBefore(LockRequest request, LockTemplate locks) {
        for (LockKey key : request.keys()) {
            if (locks.getLock(LockRequest.of(key).shared()).holdCount() == 0) {
                return false;
            }
        }
        return true;
    }
}
