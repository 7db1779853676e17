package io.holdfast.lock.faults;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.Copies;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.history.Recorder;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.TestRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A process whose threads take locks and give them back all the time, and record it. It answers every line with its time,
 * and ends with its standard input. Told to, it goes on as two clients with the same state, each with a record of its own.
 *
 * <p>Some locks are often held for longer than their lease, and so by somebody who is hit when something goes wrong; all
 * others wait for them. So most threads leave them alone, and take others, that pass from one to the next quickly.
 */
final class LockingWorker {

    private static final int LINGERING = 4;
    private static final int RIVALS = 1;
    private static final int CHANGING = 4;
    private static final int BRIEF = 4;

    /** Told to a process, it goes on twice. */
    static final String COPY = "copy";

    private final Recorder recorder;
    private final LockEngine locks;
    private final AtomicLong handles = new AtomicLong();

    private LockingWorker(String record, LockEngine locks) {
        this.recorder = new Recorder(Path.of(record));
        this.locks = locks;
    }

    /** Arguments: file for the record, place of the locks, keys, driver, defect of the store. */
    public static void main(String[] arguments) throws IOException {
        LockPlace place = LockPlace.parse(arguments[1]);
        Supplier<LockStore> stores =
                () -> Defect.valueOf(arguments[4]).in(place.open(TestRedis.Client.valueOf(arguments[3])));
        Map<Manner, List<LockRequest>> requests = Arrays.stream(arguments[2].split(","))
                .collect(Collectors.groupingBy(
                        Keys::manner, Collectors.mapping(key -> request(key, place), Collectors.toList())));
        LockEngine locks = LockEngine.builder(stores.get()).build();
        new LockingWorker(arguments[0], locks).start(requests);
        answer(() -> new LockingWorker(arguments[0] + "-copy", Copies.of(locks, stores.get())).start(requests));
        System.exit(0);
    }

    private static LockRequest request(String key, LockPlace place) {
        return LockRequest.of(key).lease(place.lease());
    }

    private void start(Map<Manner, List<LockRequest>> requests) {
        start(LINGERING, requests.get(Manner.LINGERING), Manner.LINGERING);
        start(RIVALS, requests.get(Manner.LINGERING), Manner.CHANGING);
        start(CHANGING, requests.get(Manner.CHANGING), Manner.CHANGING);
        if (requests.containsKey(Manner.BRIEF)) {
            start(BRIEF, requests.get(Manner.BRIEF), Manner.BRIEF);
        }
    }

    private void start(int threads, List<LockRequest> requests, Manner manner) {
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(new LockingThread(locks, requests, recorder, handles, manner));
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void answer(Runnable copy) throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String command = commands.readLine(); command != null; command = commands.readLine()) {
            if (command.equals(COPY)) {
                copy.run();
            }
            System.out.println(System.nanoTime());
        }
    }
}
