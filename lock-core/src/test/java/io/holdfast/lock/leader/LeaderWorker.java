package io.holdfast.lock.leader;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.testing.TestRedis;
import io.holdfast.lock.testing.WorkerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A process that stands for a role, and says whether it leads. Ends with its standard input. */
final class LeaderWorker {

    private LeaderWorker() {}

    static WorkerProcess start(String role, Duration lease) throws IOException {
        return WorkerProcess.start(
                LeaderWorker.class, String.valueOf(TestRedis.shared().port()), role, lease.toString());
    }

    public static void main(String[] arguments) throws IOException {
        int port = Integer.parseInt(arguments[0]);
        LockEngine locks = LockEngine.builder(new RedisLockStore(TestRedis.jedis(port), TestRedis.PATIENT))
                .build();
        LeaderElection election = LeaderElection.on(locks);
        Leadership leadership = election.join(
                arguments[1], LockRequest.of("leader:" + arguments[1]).lease(Duration.parse(arguments[2])));
        leadership.onElected(term -> System.out.println("ELECTED " + term.fencingToken()));
        election.start();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String command = commands.readLine(); command != null; command = commands.readLine()) {
            System.out.println(leadership.isLeader() ? "LEADS" : "FOLLOWS");
        }
        System.exit(0);
    }
}
