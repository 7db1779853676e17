package io.holdfast.lock.faults;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.history.Recorder;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.testing.TestRedis;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A process that stands for some roles, leads in each of them for a while when it can, resigns, and records when it says that it
 * leads. It answers every line with its time, and ends with its standard input.
 */
final class LeadingWorker {

    private static final long BETWEEN_QUESTIONS = TimeUnit.MILLISECONDS.toNanos(2);

    private LeadingWorker() {}

    /** Arguments: file for the record, place of the locks, roles, driver, and a defect, of which there is none. */
    public static void main(String[] arguments) throws IOException {
        LockPlace place = LockPlace.parse(arguments[1]);
        LeaderElection election =
                LeaderElection.on(LockEngine.builder(place.open(TestRedis.Client.valueOf(arguments[3])))
                        .build());
        AtomicLong handles = new AtomicLong();
        Recorder recorder = new Recorder(Path.of(arguments[0]));
        List<RecordedRole> roles = Stream.of(arguments[2].split(","))
                .map(role -> new RecordedRole(join(election, role, place), recorder, handles))
                .toList();
        election.start();
        Thread asking = new Thread(() -> ask(roles));
        asking.setDaemon(true);
        asking.start();
        answer();
        System.exit(0);
    }

    private static Leadership join(LeaderElection election, String role, LockPlace place) {
        return election.join(role, LockRequest.of(role).lease(place.lease()));
    }

    private static void ask(List<RecordedRole> roles) {
        Random random = new Random();
        while (true) {
            roles.forEach(each -> each.ask(random));
            LockSupport.parkNanos(BETWEEN_QUESTIONS);
        }
    }

    private static void answer() throws IOException {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (commands.readLine() != null) {
            System.out.println(System.nanoTime());
        }
    }
}
