package io.holdfast.lock.sample.race;

import org.springframework.http.HttpStatus;
import org.springframework.web.server.ResponseStatusException;

/**
 * The settings of a race.
 *
 * @param items the items in stock at the start; 1 to 100,000
 * @param locked whether an item is sold under the lock
 * @param workers the threads of each instance; 1 to 16
 * @param pause whether a worker of each instance pauses once, for longer than the lease of its lock
 */
record RaceSettings(int items, boolean locked, int workers, boolean pause) {

    static final int DEFAULT_WORKERS = 8;

    RaceSettings {
        check("items", items, 100_000);
        check("workers", workers, 16);
    }

    private static void check(String name, int value, int most) {
        if (value < 1 || value > most) {
            throw new ResponseStatusException(
                    HttpStatus.BAD_REQUEST, name + " is " + value + "; it must be between 1 and " + most + ".");
        }
    }
}
