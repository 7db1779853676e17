package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.NestedWait;
import io.holdfast.lock.redis.driver.LuaScript;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.scan.RecordedWait;
import io.holdfast.lock.store.scan.WaitReport;
import io.holdfast.lock.store.scan.WaitTimes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The nested waits of all clients, in a single hash, so that one call reads the whole graph as it was at one moment. On a
 * cluster the hash is on one of the nodes.
 *
 * <p>The first line of a client's record contains the version of this format, the process and the host. For each wait, the following lines
 * contain its id, the times since and seen, and the time waited, all in us, the mode (0 exclusive, 1 shared), whether it has ended (0 or
 * 1), and the number of holds; the thread; the key; and for each hold its token, mode and key. Keys start with {@code m} if they are
 * masked, otherwise with {@code -}, and contain no line breaks. Records in another format are skipped.
 *
 * @param clients the clients that have recorded waits through this store
 */
record RedisWaits(ScriptClient redis, ScriptCodec codec, Map<String, WaitTimes> clients) {

    private static final String FORMAT = "1";
    private static final long TTL_MILLIS = LockStore.WAITS_TIMEOUT.toMillis();

    /**
     * See {@link LockStore#recordWaits}. The first report of each client also removes the records of clients that have died, so there are
     * never more records than clients that existed then or have been created since.
     */
    void record(String clientId, List<WaitReport> waits) {
        if (waits.isEmpty()) {
            clients.remove(clientId);
            ask(LuaScript.RECORD_WAITS, Long::parseLong, codec.waits(), clientId, "", TTL_MILLIS, 0);
            return;
        }
        int sweep = clients.containsKey(clientId) ? 0 : 1;
        WaitTimes times = clients.computeIfAbsent(clientId, id -> new WaitTimes());
        List<RecordedWait> dated = times.next(waits);
        long micros =
                ask(LuaScript.RECORD_WAITS, Long::parseLong, codec.waits(), clientId, write(dated), TTL_MILLIS, sweep);
        var unused = times.answered(dated, micros);
    }

    /** See {@link LockStore#recordedWaits}. */
    List<RecordedWait> all() {
        return ask(LuaScript.WAITS, RedisWaits::read, codec.waits(), TTL_MILLIS);
    }

    private <T> T ask(LuaScript script, Function<String, T> reading, Object... keyAndArguments) {
        return redis.run(ScriptCodec.call(script, true, 1, keyAndArguments)).read(reading);
    }

    /** The waits of one client, at least one. */
    private static String write(List<RecordedWait> waits) {
        NestedWait any = waits.get(0).report().what();
        StringJoiner lines = new StringJoiner("\n").add(FORMAT + ' ' + any.pid() + ' ' + any.host());
        for (RecordedWait recorded : waits) {
            WaitReport report = recorded.report();
            NestedWait wait = report.what();
            lines.add(report.id() + " " + recorded.sinceMicros() + ' ' + recorded.seenMicros() + ' '
                    + TimeUnit.NANOSECONDS.toMicros(wait.waitedFor().toNanos()) + ' ' + write(wait.mode())
                    + (report.ended() ? " 1 " : " 0 ") + wait.holds().size());
            lines.add(wait.thread()).add(write(wait.key()));
            wait.holds()
                    .forEach(held ->
                            lines.add(held.fencingToken() + " " + write(held.mode()) + ' ' + write(held.key())));
        }
        return lines.toString();
    }

    private static char write(LockMode mode) {
        return mode == LockMode.EXCLUSIVE ? '0' : '1';
    }

    private static String write(LockKey key) {
        return (key.isMasked() ? "m" : "-") + key.value().replace("%", "%25").replace("\n", "%0A");
    }

    /** Reads the reply of {@code waits.lua}. */
    private static List<RecordedWait> read(String reply) {
        List<String> lines = List.of(reply.split("\n", -1));
        long now = Long.parseLong(lines.get(0));
        List<RecordedWait> waits = new ArrayList<>();
        for (int at = 1; at < lines.size(); ) {
            String[] words = lines.get(at).split(" ", 2);
            int next = at + 1 + Integer.parseInt(words[0]);
            try {
                waits.addAll(read(words[1], lines.subList(at + 1, next).iterator(), now));
            } catch (RuntimeException e) {
                // another version, or another program
            }
            at = next;
        }
        return waits;
    }

    private static List<RecordedWait> read(String client, Iterator<String> lines, long now) {
        long recordedAt = Long.parseLong(lines.next());
        String[] words = lines.next().split(" ", 3);
        return words[0].equals(FORMAT)
                ? ScriptCodec.all(
                        lines, each -> read(client, Long.parseLong(words[1]), words[2], each, recordedAt, now))
                : List.of();
    }

    private static RecordedWait read(
            String client, long pid, String host, Iterator<String> lines, long recordedAt, long now) {
        String[] words = lines.next().split(" ", -1);
        boolean ended = words[5].equals("1");
        long since = Long.parseLong(words[1]);
        Duration waited = ScriptCodec.micros(words[3]).plusNanos(ended ? 0 : Math.max(0, now - recordedAt) * 1_000);
        String thread = lines.next();
        LockKey wanted = key(lines.next());
        List<NestedWait.HeldLock> holds = ScriptCodec.times(words[6], () -> held(lines.next()));
        LockMode mode = ScriptCodec.mode(words[4]);
        var wait = new NestedWait(client, host, pid, thread, wanted, mode, waited, holds);
        return new RecordedWait(
                new WaitReport(Long.parseLong(words[0]), ended, wait),
                since == 0 ? recordedAt : since,
                Long.parseLong(words[2]));
    }

    private static NestedWait.HeldLock held(String line) {
        String[] words = line.split(" ", 3);
        return new NestedWait.HeldLock(key(words[2]), Long.parseLong(words[0]), ScriptCodec.mode(words[1]));
    }

    private static LockKey key(String text) {
        LockKey key = LockKey.of(text.substring(1).replace("%0A", "\n").replace("%25", "%"));
        return text.startsWith("m") ? key.masked() : key;
    }
}
