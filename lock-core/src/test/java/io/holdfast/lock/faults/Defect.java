package io.holdfast.lock.faults;

import io.holdfast.lock.store.LockStore;

/** What may be wrong with a store, on purpose. */
enum Defect {
    NONE,
    /** Now and then it grants what is held. */
    GRANTS_WHAT_IS_HELD,
    /** It ends leases before their time. */
    ENDS_LEASES_EARLY,
    /** Now and then it grants a lock with a token of before. */
    REPEATS_TOKENS;

    LockStore in(LockStore store) {
        return this == NONE ? store : new DefectiveStore(store, this);
    }
}
