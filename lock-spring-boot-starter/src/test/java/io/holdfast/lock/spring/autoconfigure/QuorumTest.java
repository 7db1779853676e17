package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.quorum.QuorumLockStore;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.store.LockStore;
import java.time.Duration;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Locks of applications on three servers. */
@Timeout(60)
class QuorumTest {

    /** Servers take part as long as a lease after their start. A busy machine is not a failed server. */
    private static final String[] PATIENT = {"holdfast.lease=4s", "holdfast.quorum.command-timeout=10s"};

    private static QuorumServers shared;

    private final String key = "quorum-" + UUID.randomUUID();

    @BeforeAll
    static void start() {
        shared = QuorumServers.start();
    }

    @AfterAll
    static void stop() {
        shared.close();
    }

    private static ApplicationContextRunner application(QuorumServers servers) {
        return Runners.starter().withPropertyValues(servers.property()).withPropertyValues(PATIENT);
    }

    private long serversWithLock() {
        return IntStream.range(0, 3)
                .filter(server -> shared.holds(server, 0, "holdfast:{" + key + "}"))
                .count();
    }

    @Test
    void most_servers_have_the_lock_that_is_held() {
        application(shared).run(context -> {
            assertThat(context).hasSingleBean(LockStore.class).hasSingleBean(QuorumLockStore.class);
            assertThat(context).doesNotHaveBean(RedisConnectionFactory.class);
            QuorumServers.joined(context)
                    .execute(key, () -> assertThat(serversWithLock()).isGreaterThanOrEqualTo(2));
        });
    }

    @Test
    void nodes_may_be_written_one_by_one_with_databases_beside_a_redis_of_the_application() {
        Runners.redis()
                .withPropertyValues(
                        "holdfast.redis.key-prefix=shop",
                        "holdfast.quorum.nodes[0]=" + shared.url(0) + "/1",
                        "holdfast.quorum.nodes[1]=" + shared.url(1) + "/2",
                        "holdfast.quorum.nodes[2]=127.0.0.1:1")
                .withPropertyValues(PATIENT)
                .run(context -> QuorumServers.joined(context).execute(key, () -> {
                    assertThat(shared.holds(0, 1, "shop:{" + key + "}")).isTrue();
                    assertThat(shared.holds(1, 2, "shop:{" + key + "}")).isTrue();
                }));
    }

    @Test
    void application_starts_and_locks_while_one_server_is_down() {
        try (QuorumServers servers = QuorumServers.start()) {
            servers.get(1).kill();
            application(servers).withPropertyValues("holdfast.fail-fast=true").run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(QuorumServers.joined(context).execute(key, () -> "ran"))
                        .isEqualTo("ran");
            });
        }
    }

    @Test
    void application_starts_while_most_servers_are_down_and_locks_fail() {
        try (QuorumServers servers = QuorumServers.start()) {
            servers.get(0).kill();
            servers.get(1).kill();
            application(servers).run(context -> {
                assertThat(context).hasNotFailed();
                assertThatThrownBy(() -> context.getBean(LockTemplate.class).tryAcquire(key))
                        .isInstanceOf(LockStoreException.class)
                        .message()
                        .containsPattern(namesOneThatIsDown(servers))
                        .doesNotContain(QuorumServers.PASSWORD);
            });
            application(servers)
                    .withPropertyValues("holdfast.fail-fast=true")
                    .run(context -> assertThat(Startup.failureOf(context))
                            .contains("holdfast.fail-fast is true", "holdfast.quorum")
                            .containsPattern(namesOneThatIsDown(servers))
                            .doesNotContain(QuorumServers.PASSWORD));
        }
    }

    /** Two that fail decide it, and the third one may be one of them: it was started a short time ago. */
    private static String namesOneThatIsDown(QuorumServers servers) {
        return Pattern.quote(servers.name(0)) + "|" + Pattern.quote(servers.name(1));
    }

    @Test
    @Timeout(40)
    void servers_that_hang_are_not_waited_for_longer_than_the_node_timeout() {
        try (QuorumServers servers = QuorumServers.start()) {
            application(servers)
                    .withPropertyValues("holdfast.quorum.command-timeout=100ms", "holdfast.redis.command-timeout=60s")
                    .run(context -> {
                        servers.get(0).pause();
                        servers.get(1).pause();
                        assertThatThrownBy(() ->
                                        context.getBean(LockTemplate.class).tryAcquire(key))
                                .isInstanceOf(LockStoreException.class);
                    });
        }
    }

    @Test
    void servers_without_their_data_take_no_part_for_the_rejoin_delay() {
        application(shared)
                .withPropertyValues("holdfast.quorum.rejoin-delay=1h")
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(LockTemplate.class).tryAcquire(key))
                        .isInstanceOf(LockStoreException.class)
                        .hasMessageContaining("rejoin-delay"));
    }

    @Test
    void no_lease_is_longer_than_the_default_one_unless_the_rejoin_delay_is() {
        LockRequest longer = LockRequest.of(key).lease(Duration.ofSeconds(5));
        application(shared)
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(LockTemplate.class).tryAcquire(longer))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("holdfast.quorum.rejoin-delay"));
        application(shared)
                .withPropertyValues("holdfast.quorum.rejoin-delay=5s")
                .run(context -> assertThat(QuorumServers.joined(context).tryAcquire(longer))
                        .isPresent());
    }

    /** A Lettuce factory whose threads have ended waits for ever. */
    @Test
    @Timeout(value = 40, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void locks_are_given_back_before_the_connections_end() {
        application(shared).run(context -> {
            LockHandle held = QuorumServers.joined(context).acquire(key);
            context.getSourceApplicationContext().close();
            assertThat(held.isHeld()).isFalse();
            assertThat(serversWithLock()).isLessThan(2);
        });
    }

    @Test
    void store_of_the_application_wins() {
        application(shared)
                .withBean(InMemoryLockStore.class)
                .run(context -> assertThat(context).hasSingleBean(LockStore.class));
    }
}
