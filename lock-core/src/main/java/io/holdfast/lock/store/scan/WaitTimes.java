package io.holdfast.lock.store.scan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Dates the waits of one client by the clock of one server, although message delays are unknown.
 *
 * <p>A wait has begun by the time it is first reported to the server, so that time is a safe beginning. A reported wait may already have
 * ended. But the client checks its waits after the previous reply has arrived, so the server's time in that reply is a moment at which they
 * were still in progress. So each report dates the previous one, and two reports yield an interval in which the wait was certainly in
 * progress.
 *
 * <p>Thread-safe. A client starts a report after the previous one has ended, with waits that were checked in between.
 */
public final class WaitTimes {

    private final Map<Long, RecordedWait> known = new HashMap<>();
    private long answeredMicros;

    /**
     * {@return the waits to report to the server}
     *
     * @param reports all nested waits of the client
     */
    public synchronized List<RecordedWait> next(List<WaitReport> reports) {
        return reports.stream().map(this::date).toList();
    }

    private RecordedWait date(WaitReport report) {
        RecordedWait before = known.getOrDefault(report.id(), new RecordedWait(report, 0, 0));
        return new RecordedWait(report, before.sinceMicros(), report.ended() ? before.seenMicros() : answeredMicros);
    }

    /**
     * Records the server's reply.
     *
     * @param reported the reported waits
     * @param micros the server's time in the reply
     * @return the reported waits, each with its beginning
     */
    public synchronized List<RecordedWait> answered(List<RecordedWait> reported, long micros) {
        List<RecordedWait> dated = reported.stream()
                .map(wait ->
                        wait.sinceMicros() == 0 ? new RecordedWait(wait.report(), micros, wait.seenMicros()) : wait)
                .toList();
        known.clear();
        dated.forEach(wait -> known.put(wait.report().id(), wait));
        answeredMicros = micros;
        return dated;
    }
}
