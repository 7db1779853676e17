package io.holdfast.lock.sample.browser;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import tools.jackson.databind.json.JsonMapper;

/** What {@code /actuator/locks?scope=all} answers, made up. */
final class Reports {

    static final String HOSTILE = "<img src=x onerror=\"document.title='hacked'\"></script><script>document.title='hacked'</script>";

    private static final JsonMapper JSON = new JsonMapper();
    private static final Instant SINCE = Instant.now().minusSeconds(20);

    private Reports() {}

    static Map<String, Object> party(int instance, String thread) {
        return new TreeMap<>(
                Map.of("clientId", "client-" + instance, "host", "shop-" + instance, "pid", 1, "thread", thread));
    }

    private static Map<String, Object> with(Map<String, Object> map, Object... more) {
        Map<String, Object> all = new TreeMap<>(map);
        for (int i = 0; i < more.length; i += 2) {
            all.put((String) more[i], more[i + 1]);
        }
        return all;
    }

    private static String waitedFor() {
        return Duration.between(SINCE, Instant.now()).toString();
    }

    static Map<String, Object> lock(String key, String id, int instance, int waiters) {
        Map<String, Object> holder = with(
                party(instance, "worker-" + instance),
                "mode", "EXCLUSIVE",
                "since", SINCE.toString(),
                "remaining", "PT25S",
                "fencingToken", 1795117462013370L);
        List<Map<String, Object>> queue = IntStream.range(0, waiters)
                .mapToObj(i -> with(
                        party(instance + 1, "waiter-" + i), "mode", "EXCLUSIVE", "fair", false, "reserved", false))
                .toList();
        return with(
                Map.of("key", key, "id", id, "lastFencingToken", 1795117462013370L),
                "holders", List.of(holder),
                "waiters", waiters,
                "queue", queue);
    }

    /** Locks that have been held for so long. */
    static String heldFor(Duration... ages) {
        return of(IntStream.range(0, ages.length)
                .mapToObj(i -> held("order:" + i, i, Instant.now().minus(ages[i]), "PT25S", false))
                .toList());
    }

    /** One lock, as the store sees it. */
    static Map<String, Object> held(String key, int instance, Instant since, String remaining, boolean kept) {
        Map<String, Object> holder = with(
                party(instance, "worker-" + instance),
                "mode", "EXCLUSIVE",
                "since", since.toString(),
                "remaining", remaining,
                "keptByMinHold", kept,
                "fencingToken", 1795117462013370L);
        return with(
                Map.of("key", key, "id", key, "lastFencingToken", 1795117462013370L),
                "holders", List.of(holder),
                "waiters", 0,
                "queue", List.of());
    }

    /** At a certain time of the store. */
    static String at(Instant time, List<Map<String, Object>> locks) {
        return changed(of(locks), Map.of("time", time.toString()));
    }

    /** With other values of some fields. */
    static String changed(String report, Map<String, Object> fields) {
        Map<String, Object> all = new TreeMap<>(JSON.readValue(report, Map.class));
        all.putAll(fields);
        return JSON.writeValueAsString(all);
    }

    /** A forced release of this instance's own lock, which it also lost, and a loss of another grant. */
    static String forced() {
        List<Map<String, Object>> events = new ArrayList<>();
        for (long token : List.of(2, 1)) {
            events.add(with(
                    Map.of("type", "LOST", "time", Instant.now().minusSeconds(1).toString(), "cause", "REVOKED"),
                    "key", "order:1", "id", "a", "host", "shop-1", "fencingToken", token));
        }
        events.add(with(
                Map.of("type", "FORCE_RELEASED", "time", Instant.now().minusSeconds(1).toString()),
                "key", "order:1", "id", "a", "host", "shop-1", "thread", "worker-1", "fencingToken", 2));
        return of(List.of(), List.of(), events);
    }

    static String of(List<Map<String, Object>> locks) {
        return of(locks, List.of(), List.of());
    }

    static String of(List<Map<String, Object>> locks, List<Map<String, List<Map<String, Object>>>> deadlocks, List<?> events) {
        return JSON.writeValueAsString(with(
                Map.of("time", Instant.now().toString(), "complete", true, "total", locks.size()),
                "page", 0,
                "size", 1000,
                "instance", party(1, ""),
                "locks", locks,
                "deadlocks", deadlocks,
                "nestedWaits", deadlocks.stream().flatMap(each -> each.get("waits").stream()).toList(),
                "events", events));
    }

    static String deadlock() {
        Map<String, Object> first = with(
                party(1, "worker-1"),
                "key", "order:42", "id", "b", "waitedFor", waitedFor(), "holds", List.of(Map.of("key", "order:41", "id", "a")));
        Map<String, Object> second = with(
                party(2, "worker-2"),
                "key", "order:41", "id", "a", "waitedFor", waitedFor(), "holds", List.of(Map.of("key", "order:42", "id", "b")));
        Map<String, Object> lost = with(
                Map.of("type", "LOST", "time", Instant.now().minusSeconds(30).toString()),
                "key", "order:41", "id", "a", "cause", "EXPIRED", "thread", "worker-9", "host", "shop-1");
        return of(
                List.of(lock("order:41", "a", 1, 1), lock("order:42", "b", 2, 1), lock("stock:7", "c", 1, 0)),
                List.of(Map.of("waits", List.of(first, second))),
                List.of(lost));
    }

    /** A loss, and three locks that were held for long. */
    static String events() {
        List<Map<String, Object>> events = new ArrayList<>();
        for (String type : List.of("LOST", "LONG_HELD", "LONG_HELD", "LONG_HELD")) {
            events.add(with(
                    Map.of("type", type, "time", Instant.now().minusSeconds(events.size()).toString()),
                    "key", "order:" + events.size(), "id", "id" + events.size(), "host", "shop-1"));
        }
        return of(List.of(lock("order:0", "id0", 1, 0)), List.of(), events);
    }

    /** @param sizes how many threads each of them has */
    static String deadlocks(int... sizes) {
        List<Map<String, Object>> locks = new ArrayList<>();
        List<Map<String, List<Map<String, Object>>>> deadlocks = new ArrayList<>();
        for (int size : sizes) {
            deadlocks.add(Map.of("waits", IntStream.range(0, size).mapToObj(i -> wait(size, i)).toList()));
            IntStream.range(0, size).forEach(i -> locks.add(lock(key(size, i), key(size, i), i, 1)));
        }
        return of(locks, deadlocks, List.of());
    }

    private static String key(int size, int i) {
        return "warehouse-" + size + ":article:" + (4711 + i % size);
    }

    private static Map<String, Object> wait(int size, int i) {
        String held = key(size, i);
        String wanted = key(size, i + 1);
        return with(
                party(i, "http-nio-8080-exec-" + i),
                "key", wanted, "id", wanted, "waitedFor", waitedFor(), "holds", List.of(Map.of("key", held, "id", held)));
    }

    static String many(int n) {
        List<Map<String, Object>> locks = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            locks.add(lock("order:" + i, "id" + i, i % 6, i % 9 == 0 ? 3 : 0));
        }
        return of(locks);
    }
}
