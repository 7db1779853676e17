package io.holdfast.lock.explore;

import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import java.util.concurrent.TimeUnit;

/** A message that the store has not sent, which grants a waiter its lock, for an hour and by a token that nothing exceeds. */
final class Forgery {

    private static final long HOUR = TimeUnit.HOURS.toMicros(1);
    private static final long TOKEN = Long.MAX_VALUE - 1;

    private Forgery() {}

    static void send(World world, ModelClient to) {
        world.forgeries--;
        long now = world.setting.serverClock.micros();
        boolean plausibleToken = world.forgeries % 2 == 0;
        long token = plausibleToken ? now : TOKEN;
        world.add(new Message.Granted(to.owner(), new Reservation(token, 1, Waiters.NONE, now, now + HOUR)));
    }
}
