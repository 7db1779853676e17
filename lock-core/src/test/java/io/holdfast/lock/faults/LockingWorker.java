package io.holdfast.lock.faults;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.history.Recorder;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.TestRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * A process whose threads take locks and give them back all the time, and record it. It answers every line with its time,
 * and ends with its standard input.
 *
 * <p>Some locks are often held for longer than their lease, and so by somebody who is hit when something goes wrong; all
 * others wait for them. So most threads leave them alone, and take others, that pass from one to the next quickly.
 */
final class LockingWorker {

    private static final Duration LONGEST_HOLD = Duration.ofSeconds(6);
    private static final int LINGERING = 4;
    private static final int RIVALS = 1;
    private static final int BRIEF = 4;

    private final Recorder recorder;
    private final LockEngine locks;
    private final AtomicLong handles = new AtomicLong();

    private LockingWorker(Recorder recorder, LockEngine locks) {
        this.recorder = recorder;
        this.locks = locks;
    }

    /** Arguments: file for the record, place of the locks, keys, driver, defect of the store. */
    public static void main(String[] arguments) throws IOException {
        LockPlace place = LockPlace.parse(arguments[1]);
        LockStore store = Defect.valueOf(arguments[4]).in(place.open(TestRedis.Client.valueOf(arguments[3])));
        LockingWorker worker = new LockingWorker(
                new Recorder(Path.of(arguments[0])), LockEngine.builder(store).build());
        Map<Boolean, List<LockRequest>> requests = Arrays.stream(arguments[2].split(","))
                .collect(Collectors.partitioningBy(
                        Keys::isHeldForLong,
                        Collectors.mapping(key -> LockRequest.of(key).lease(place.lease()), Collectors.toList())));
        worker.start(LINGERING, requests.get(true), LONGEST_HOLD);
        worker.start(RIVALS, requests.get(true), Duration.ZERO);
        worker.start(BRIEF, requests.get(false), Duration.ZERO);
        answerWithTheTime();
        System.exit(0);
    }

    private void start(int threads, List<LockRequest> requests, Duration longestHold) {
        for (int i = 0; i < threads; i++) {
            Thread thread = new Thread(new LockingThread(locks, requests, recorder, handles, longestHold));
            thread.setDaemon(true);
            thread.start();
        }
    }

    private static void answerWithTheTime() throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (commands.readLine() != null) {
            System.out.println(System.nanoTime());
        }
    }
}
