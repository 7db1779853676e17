package io.holdfast.lock.faults;

import io.holdfast.lock.history.History;
import io.holdfast.lock.history.SharedClock;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.WorkerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Processes that take the same locks, and what they have recorded. Used by one thread. */
final class Crew implements AutoCloseable {

    /** On a busy machine, servers and the network should not be what is slow. */
    private static final List<String> BEHIND_SERVERS = List.of("nice");

    private static final Duration COPIED = Duration.ofSeconds(5);

    private final String name;
    private final Path records;
    private final LockPlace place;
    private final List<String> keys;
    private final Defect defect;
    private final Class<?> worker;
    private final List<WorkerProcess> workers = new ArrayList<>();
    private final Random random = new Random();
    private int count;

    /**
     * Starts processes, with each driver in turn.
     *
     * @param name what sets it apart from other crews
     * @param records an empty directory
     */
    static Crew start(String name, Path records, LockPlace place, List<String> keys, int size, Defect defect)
            throws Exception {
        return start(new Crew(name, records, place, keys, defect, LockingWorker.class), size);
    }

    /** Starts processes that stand for each key as a role, with each driver in turn. */
    static Crew startLeaders(String name, Path records, LockPlace place, List<String> roles, int size)
            throws Exception {
        return start(new Crew(name, records, place, roles, Defect.NONE, LeadingWorker.class), size);
    }

    private static Crew start(Crew crew, int size) throws Exception {
        for (int i = 0; i < size; i++) {
            crew.startOne();
        }
        return crew;
    }

    private Crew(String name, Path records, LockPlace place, List<String> keys, Defect defect, Class<?> worker) {
        this.name = name;
        this.records = records;
        this.place = place;
        this.keys = keys;
        this.defect = defect;
        this.worker = worker;
    }

    private void startOne() throws Exception {
        TestRedis.Client driver = TestRedis.Client.JEDIS;
        String record = records.resolve(driver + "-" + count).toString();
        count++;
        WorkerProcess started = WorkerProcess.start(
                BEHIND_SERVERS,
                System.getProperty("java.class.path"),
                worker,
                record,
                place.toString(),
                String.join(",", keys),
                driver.name(),
                defect.name());
        workers.add(started);
        SharedClock.verify(() -> {
            started.send("time");
            return Long.parseLong(started.nextLine());
        });
    }

    /** Like kill -9, at any moment; another one takes its place. */
    void killOne() throws Exception {
        workers.remove(random.nextInt(workers.size())).kill();
        startOne();
    }

    /** It is copied, as by a snapshot of its virtual machine, and nobody tells the copy. Some time later both die. */
    void copyOne() throws Exception {
        WorkerProcess worker = workers.get(random.nextInt(workers.size()));
        worker.send(LockingWorker.COPY);
        worker.nextLine();
        Thread.sleep(COPIED.toMillis());
        workers.remove(worker);
        worker.kill();
        startOne();
    }

    /** It stands still, as in a long garbage collection. */
    void stopOne(Duration time) throws InterruptedException {
        WorkerProcess worker = workers.get(random.nextInt(workers.size()));
        worker.signal("STOP");
        Thread.sleep(time.toMillis());
        worker.signal("CONT");
    }

    String name() {
        return name;
    }

    List<String> keys() {
        return keys;
    }

    /** What has been recorded so far. */
    History history() throws IOException {
        return Files.exists(records) ? History.read(records) : new History(List.of());
    }

    /** Up to now. */
    History.Mark mark() throws IOException {
        return History.Mark.of(records);
    }

    /** What has been recorded since then. */
    History history(History.Mark since) throws IOException {
        return History.read(records, since);
    }

    @Override
    public void close() throws Exception {
        for (WorkerProcess worker : workers) {
            worker.close();
        }
    }
}
