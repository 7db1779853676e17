package io.holdfast.lock.sample.race;

/**
 * A race as it stands.
 *
 * @param state RUNNING or DONE
 * @param sold rows in the table of sales
 * @param oversold how many more than there were items
 * @param refused writes that came late, under a lock that was lost, and were refused because of their fencing token
 * @param stockLeft what the stock says, which without the lock need not fit the sales
 */
record Race(
        long id,
        boolean locked,
        boolean pause,
        int items,
        int workers,
        String state,
        int sold,
        int oversold,
        int refused,
        int stockLeft,
        double meanWaitMillis,
        double maxWaitMillis,
        long durationMillis) {}
