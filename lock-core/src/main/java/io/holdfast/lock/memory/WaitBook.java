package io.holdfast.lock.memory;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.overview.RecordedWait;
import io.holdfast.lock.store.overview.WaitReport;
import io.holdfast.lock.store.overview.WaitTimes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The nested waits of all clients. */
final class WaitBook {

    private static final long TIMEOUT_MICROS = TimeUnit.NANOSECONDS.toMicros(LockStore.WAITS_TIMEOUT.toNanos());

    private final Map<String, Page> pages = new HashMap<>();

    private record Page(WaitTimes times, List<RecordedWait> waits, long micros) {}

    synchronized void record(String clientId, List<WaitReport> waits, long micros) {
        pages.values().removeIf(page -> micros - page.micros > TIMEOUT_MICROS);
        Page before = pages.remove(clientId);
        if (!waits.isEmpty()) {
            WaitTimes times = before == null ? new WaitTimes() : before.times;
            List<RecordedWait> told = times.next(waits);
            times.answered(told, micros);
            List<RecordedWait> dated = told.stream()
                    .map(wait -> wait.sinceMicros() == 0 ? wait.since(micros) : wait)
                    .toList();
            pages.put(clientId, new Page(times, dated, micros));
        }
    }

    synchronized List<RecordedWait> all(long micros) {
        return pages.values().stream()
                .filter(page -> micros - page.micros <= TIMEOUT_MICROS)
                .flatMap(page -> page.waits.stream())
                .toList();
    }
}
