package io.holdfast.lock.sample.race;

/**
 * The state of a race.
 *
 * @param state RUNNING or DONE
 * @param sold rows in the table of sales
 * @param oversold how many more were sold than there were items
 * @param refused late writes, under a lock that was lost, which were refused because of their fencing token
 * @param stockLeft the recorded stock, which without the lock need not match the sales
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
