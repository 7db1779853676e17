package io.holdfast.lock.redis.overview;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.redis.driver.Wire.Script;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.overview.RecordedWait;
import io.holdfast.lock.store.overview.WaitReport;
import io.holdfast.lock.store.overview.WaitTimes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The nested waits of all clients, in a single hash, so that one call reads the whole graph as it was at one moment. On a
 * cluster the hash is on one of the nodes.
 */
public final class RedisWaits {

    /** The number of reports after which fields left behind by dead clients are removed. */
    private static final int REPORTS_PER_SWEEP = 10;

    private static final String TTL_MILLIS = Long.toString(LockStore.WAITS_TIMEOUT.toMillis());

    private final Servers servers;
    private final byte[] key;
    private final Script report;
    private final Script read;
    private final Map<String, Client> clients = new ConcurrentHashMap<>();

    private static final class Client {
        private final WaitTimes times = new WaitTimes();
        private int reports;
    }

    /**
     * Creates an instance.
     *
     * @param key the name of the hash
     * @param report records the waits of a client
     * @param read reads the waits of all clients
     */
    public RedisWaits(Servers servers, byte[] key, Script report, Script read) {
        this.servers = servers;
        this.key = key.clone();
        this.report = report;
        this.read = read;
    }

    /** See {@link LockStore#recordWaits}. */
    public void record(String clientId, List<WaitReport> waits) {
        if (waits.isEmpty()) {
            clients.remove(clientId);
            ask(report, Long::parseLong, clientId, "", TTL_MILLIS, "0");
            return;
        }
        Client client = clients.computeIfAbsent(clientId, id -> new Client());
        List<RecordedWait> told = client.times.next(waits);
        String sweep = client.reports++ % REPORTS_PER_SWEEP == 0 ? "1" : "0";
        client.times.answered(told, ask(report, Long::parseLong, clientId, WaitLines.write(told), TTL_MILLIS, sweep));
    }

    /** See {@link LockStore#recordedWaits}. */
    public List<RecordedWait> all() {
        return ask(read, WaitLines::read, TTL_MILLIS);
    }

    private <T> T ask(Script script, Function<String, T> reading, String... arguments) {
        byte[][] keyAndArguments = Stream.concat(
                        Stream.of(key), Stream.of(arguments).map(text -> text.getBytes(StandardCharsets.UTF_8)))
                .toArray(byte[][]::new);
        Servers.Answer answer = servers.ask(List.of(new ScriptCall(script, 1, keyAndArguments, false)))
                .get(0);
        LockStoreException failure = answer.failure();
        if (failure != null) {
            throw failure;
        }
        try {
            return reading.apply(String.valueOf(answer.text()));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new LockStoreException("Redis returned an unexpected reply to a script that lists waits", e, false);
        }
    }
}
