package io.holdfast.lock.store.overview;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Dates the waits of one client by the clock of one server, though nobody knows how long a message takes.
 *
 * <p>A wait has begun when the server is first told of it, so that moment is a safe beginning. What is told may be over by then. But
 * the client has looked at its waits after the previous answer had arrived, so the server's time in that answer is a moment
 * at which they were still going on. So each report dates the one before: two of them make an interval that is certain.
 *
 * <p>Thread-safe. Of one client, a report begins after the previous one has ended, with waits that were looked at in between.
 */
public final class WaitTimes {

    private final Map<Long, RecordedWait> known = new HashMap<>();
    private long answeredMicros;

    /**
     * {@return what to tell the server}
     *
     * @param reports all nested waits of the client
     */
    public synchronized List<RecordedWait> next(List<WaitReport> reports) {
        return reports.stream().map(this::date).toList();
    }

    private RecordedWait date(WaitReport report) {
        RecordedWait before = known.get(report.id());
        if (before == null) {
            return new RecordedWait(report, 0, report.ended() ? 0 : answeredMicros);
        }
        return new RecordedWait(report, before.sinceMicros(), report.ended() ? before.seenMicros() : answeredMicros);
    }

    /**
     * The server has answered.
     *
     * @param told what it was told
     * @param micros its time when it was
     */
    public synchronized void answered(List<RecordedWait> told, long micros) {
        known.clear();
        for (RecordedWait wait : told) {
            known.put(wait.report().id(), wait.sinceMicros() == 0 ? wait.since(micros) : wait);
        }
        answeredMicros = micros;
    }
}
