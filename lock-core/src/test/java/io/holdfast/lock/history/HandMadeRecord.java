package io.holdfast.lock.history;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What some handles of one key might have said, each in a process of its own unless it is a reentry. */
final class HandMadeRecord {

    static final String KEY = "k";
    static final int EXCLUSIVE = 0;

    private final Map<String, List<Event>> records = new LinkedHashMap<>();

    HandMadeRecord invoked(long handle, int limit, long at) {
        return add(handle, new Event.Invoked(handle, KEY, limit, at));
    }

    HandMadeRecord granted(long handle, int limit, long token, long invoked, long returned) {
        return invoked(handle, limit, invoked).add(handle, new Event.Granted(handle, handle, token, returned));
    }

    /** Another handle of the same hold. */
    HandMadeRecord reentered(long handle, long hold, int limit, long token, long invoked, long returned) {
        return add(hold, new Event.Invoked(handle, KEY, limit, invoked))
                .add(hold, new Event.Granted(handle, hold, token, returned));
    }

    HandMadeRecord failed(long handle, String failure, long at) {
        return add(handle, new Event.Failed(handle, failure, at));
    }

    HandMadeRecord held(long handle, long from, long to) {
        return add(handle, new Event.Sampled(handle, from, to, true));
    }

    HandMadeRecord reentryHeld(long handle, long hold, long from, long to) {
        return add(hold, new Event.Sampled(handle, from, to, true));
    }

    HandMadeRecord notHeld(long handle, long from, long to) {
        return add(handle, new Event.Sampled(handle, from, to, false));
    }

    private HandMadeRecord add(long process, Event event) {
        records.computeIfAbsent("p" + process, name -> new ArrayList<>()).add(event);
        return this;
    }

    History history() {
        return History.of(records);
    }

    List<Violation.Promise> broken() {
        return Check.violations(history()).stream().map(Violation::promise).toList();
    }
}
