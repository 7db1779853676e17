package io.holdfast.lock.history;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects what one process has recorded, event by event. */
final class Attempts {

    private final String process;
    private final Map<Long, AttemptBuilder> byHandle = new LinkedHashMap<>();
    private final Map<String, String> keys = new HashMap<>();
    private long last = Attempt.NEVER;

    Attempts(String process) {
        this.process = process;
    }

    /** What became of a call whose beginning is not known is left out. */
    void add(Event event) {
        if (event instanceof Event.Invoked invoked) {
            String key = keys.computeIfAbsent(invoked.key(), each -> each);
            byHandle.put(invoked.handle(), new AttemptBuilder(process, key, invoked));
        } else if (byHandle.containsKey(event.handle())) {
            byHandle.get(event.handle()).add(event);
        }
        last = Math.max(last, event.at());
    }

    List<Attempt> build() {
        return byHandle.values().stream().map(each -> each.build(last)).toList();
    }
}
