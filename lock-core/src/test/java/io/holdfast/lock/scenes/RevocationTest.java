package io.holdfast.lock.scenes;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.Jedis;

/** A holder on another machine, which has never waited for anything, and somebody who takes its lock away. */
class RevocationTest {

    /** Its next renewal would come after ten minutes. */
    private static final LockRequest LONG = LockRequest.of("job").lease(Duration.ofMinutes(30));

    @ParameterizedTest
    @EnumSource(TestRedis.Client.class)
    void forced_release_reaches_a_remote_holder_at_once(TestRedis.Client driver) {
        try (RedisServerProcess server = RedisServerProcess.start();
                Clients clients = Clients.open(2, driver, server.port())) {
            LockHandle held = clients.get(0).acquire(LONG);
            LockHandle fixed = clients.get(0)
                    .acquire(LockRequest.of("fixed")
                            .lease(Duration.ofMinutes(30))
                            .renew(false));
            Clients.await(() -> clients.get(0).subscriptionState() == LocalLocks.SubscriptionState.CONNECTED);

            clients.get(1).forceRelease("job");
            clients.get(1).forceRelease("fixed");

            Clients.await(() -> !held.isHeld() && !fixed.isHeld());
        }
    }

    @ParameterizedTest
    @EnumSource(TestRedis.Client.class)
    void forged_message_takes_no_lock_away(TestRedis.Client driver) {
        try (RedisServerProcess server = RedisServerProcess.start();
                Clients clients = Clients.open(1, driver, server.port());
                Jedis forger = TestRedis.administrator(server.port())) {
            LockHandle held = clients.get(0).acquire(LONG);
            Clients.await(() -> clients.get(0).subscriptionState() == LocalLocks.SubscriptionState.CONNECTED);
            String[] owner = forger.hget("holdfast:{job}", "owner").split(":");

            for (int i = 0; i < 100; i++) {
                forger.publish("holdfast:wake:" + owner[0], "revoked " + owner[1]);
            }

            Clients.await(() -> !clients.store(0).renewals.isEmpty());
            assertThat(held.isHeld()).isTrue();
            assertThat(clients.store(0).renewals).hasSizeLessThan(50);
        }
    }
}
