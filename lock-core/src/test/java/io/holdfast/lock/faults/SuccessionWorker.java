package io.holdfast.lock.faults;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.testing.TestRedis;
import java.io.IOException;
import java.time.Instant;
import java.util.stream.Stream;

/** A process that is a candidate for some roles, and prints in which of them it was elected, and when. Ends with its standard input. */
final class SuccessionWorker {

    private SuccessionWorker() {}

    /** Arguments: place of the locks, roles, driver. */
    public static void main(String[] arguments) throws IOException {
        LockPlace place = LockPlace.parse(arguments[0]);
        LeaderElection election =
                LeaderElection.on(LockEngine.builder(place.open(TestRedis.Client.valueOf(arguments[2])))
                        .build());
        Stream.of(arguments[1].split(","))
                .forEach(role -> election.join(role, LockRequest.of(role).lease(place.lease()))
                        .onElected(term -> System.out.println(new SuccessionTest.Election(role, Instant.now()))));
        election.start();
        while (System.in.read() >= 0) {
            Thread.onSpinWait();
        }
        System.exit(0);
    }
}
