package io.holdfast.lock.migration;

/** What the examples guard. */
@FunctionalInterface
public interface Shop {

    void charge(long id);

    default void charge(long id, long fencingToken) {
        charge(id);
    }

    default void chargeAll(long first, long second) {
        charge(first);
    }

    default long price(long id) {
        charge(id);
        return id;
    }

    default void reprice(long id) {
        charge(id);
    }
}
