package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Keeps the latest events of this instance that people should look at: losses, forced releases and long holds. */
final class LatestEvents implements LockListener {

    static final int MOST = 100;

    /** Newest first; guarded by this monitor. */
    private final Deque<Entry> events = new ArrayDeque<>(MOST);

    record Entry(Instant time, LockEvent.OfLock event) {}

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Lost lost) {
            add(lost);
        } else if (event instanceof LockEvent.ForceReleased released) {
            add(released);
        } else if (event instanceof LockEvent.LongHeld held) {
            add(held);
        }
    }

    private synchronized void add(LockEvent.OfLock event) {
        if (events.size() == MOST) {
            events.removeLast();
        }
        events.addFirst(new Entry(Instant.now(), event));
    }

    synchronized List<Entry> all() {
        return new ArrayList<>(events);
    }
}
