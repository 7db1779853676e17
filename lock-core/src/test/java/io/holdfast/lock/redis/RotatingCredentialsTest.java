package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockListener;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.redis.RedisLockSettings.Connection;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import redis.clients.authentication.core.SimpleToken;
import redis.clients.authentication.core.Token;
import redis.clients.authentication.core.TokenAuthConfig;
import redis.clients.authentication.core.TokenManagerConfig;
import redis.clients.jedis.DefaultRedisCredentials;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.authentication.AuthXManager;

/**
 * The password of the user changes again and again, and the server drops the connections that were made with the one before. The number
 * of changes is {@code -Dcredentials.changes}.
 */
@ParameterizedClass
@EnumSource
class RotatingCredentialsTest {

    private static final String USER = "locker";
    private static final int CHANGES = Integer.getInteger("credentials.changes", 2);
    private static final Duration LIFETIME = Duration.ofSeconds(2);

    enum Provider {
        JEDIS_PROVIDER,
        JEDIS_TOKENS,
        LETTUCE_PROVIDER,
        LETTUCE_STREAM;

        RedisConnectionFactory connect(RotatingCredentialsTest test, int port) {
            RedisStandaloneConfiguration server = new RedisStandaloneConfiguration("127.0.0.1", port);
            return switch (this) {
                case JEDIS_PROVIDER ->
                    new JedisConnectionFactory(
                            server,
                            JedisClientConfiguration.builder()
                                    .customizeClientConfig(client -> client.credentialsProvider(
                                            () -> new DefaultRedisCredentials(USER, test.password())))
                                    .build());
                case JEDIS_TOKENS ->
                    new JedisConnectionFactory(
                            server,
                            JedisClientConfiguration.builder()
                                    .customizeClientConfig(client -> client.authXManager(test.tokens))
                                    .build());
                case LETTUCE_PROVIDER, LETTUCE_STREAM ->
                    new LettuceConnectionFactory(
                            server,
                            LettuceClientConfiguration.builder()
                                    .redisCredentialsProviderFactory(test.lettuce(this == LETTUCE_STREAM))
                                    .build());
            };
        }
    }

    @Parameter
    private Provider provider;

    private final Sinks.Many<RedisCredentials> changes = Sinks.many().replay().latest();
    private final AuthXManager tokens = new AuthXManager(new TokenAuthConfig(
            new TokenManagerConfig(0.2f, 100, 1_000, new TokenManagerConfig.RetryPolicy(3, 50)), () -> this::token));
    private volatile String password = "first";
    private volatile boolean sealed;
    private RedisServerProcess server;
    private Jedis administrator;
    private RedisLockStore store;

    private String password() {
        if (sealed) {
            throw new IllegalStateException("The vault is sealed");
        }
        return password;
    }

    private Token token() {
        long now = System.currentTimeMillis();
        return new SimpleToken(USER, password(), now + LIFETIME.toMillis(), now, Map.of());
    }

    private RedisCredentialsProviderFactory lettuce(boolean streaming) {
        return new RedisCredentialsProviderFactory() {
            @Override
            public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
                return new RedisCredentialsProvider() {
                    @Override
                    public Mono<RedisCredentials> resolveCredentials() {
                        return Mono.fromSupplier(() -> RedisCredentials.just(USER, password()));
                    }

                    @Override
                    public boolean supportsStreaming() {
                        return streaming;
                    }

                    @Override
                    public Flux<RedisCredentials> credentials() {
                        return changes.asFlux();
                    }
                };
            }
        };
    }

    @BeforeEach
    void open() {
        server = RedisServerProcess.start("--user", USER, "on", ">first", "~*", "&*", "+@all");
        administrator = TestRedis.administrator(server.port());
        store = connect();
    }

    private RedisLockStore connect() {
        return new RedisLockStore(
                provider.connect(this, server.port()), TestRedis.PATIENT.withConnection(Connection.DEDICATED));
    }

    @AfterEach
    void close() {
        store.close();
        if (provider == Provider.JEDIS_TOKENS) {
            tokens.stop();
        }
        administrator.close();
        server.close();
    }

    /** Both passwords work for a moment, as with every provider, and the token manager asks again. */
    private void change(int number) {
        String former = password;
        String next = "password" + number;
        administrator.aclSetUser(USER, ">" + next);
        password = next;
        changes.tryEmitNext(RedisCredentials.just(USER, next));
        pause(Duration.ofMillis(1_200));
        administrator.aclSetUser(USER, "<" + former);
        administrator.sendCommand(Protocol.Command.CLIENT, "KILL", "USER", USER);
        pause(LIFETIME.minusMillis(1_200));
    }

    private static void pause(Duration time) {
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Two clients, so that the lock is handed over by message, too; these arrive again after each change. */
    @Test
    void locks_are_held_waited_for_and_handed_over_while_the_password_changes() {
        AtomicInteger lost = new AtomicInteger();
        AtomicInteger renewed = new AtomicInteger();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger grants = new AtomicInteger();
        LockListener losses = event -> {
            if (event instanceof LockEvent.Lost) {
                lost.incrementAndGet();
            } else if (event instanceof LockEvent.Renewed) {
                renewed.incrementAndGet();
            }
        };
        try (RedisLockStore another = connect();
                LockEngine locks = LockEngine.builder(store).listener(losses).build();
                LockEngine others = LockEngine.builder(another).listener(losses).build();
                LockHandle held = locks.acquire(LockRequest.of("held").lease(Duration.ofSeconds(10)))) {
            CompletableFuture<Void> changing = NewThread.<Void>start(() -> {
                IntStream.rangeClosed(1, CHANGES).forEach(number -> {
                    change(number);
                    awaitWakeups(locks, others);
                    int before = renewed.get();
                    Awaitility.await().until(() -> renewed.get() > before);
                });
                return null;
            });
            List<CompletableFuture<Void>> users = Stream.of(locks, locks, others, others)
                    .map(client -> NewThread.<Void>start(() -> {
                        while (!changing.isDone()) {
                            try (LockHandle lock =
                                    client.acquire(LockRequest.of("shared").waitFor(Duration.ofSeconds(30)))) {
                                assertThat(inside.incrementAndGet()).isEqualTo(1);
                                grants.incrementAndGet();
                                pause(Duration.ofMillis(5));
                                inside.decrementAndGet();
                            }
                        }
                        return null;
                    }))
                    .toList();
            changing.join();
            users.forEach(CompletableFuture::join);

            assertThat(held.isHeld()).isTrue();
            assertThat(lost).hasValue(0);
            assertThat(grants).hasValueGreaterThan(CHANGES);
        }
    }

    /** More than one: the first may have been on its way before the connection was dropped. */
    private static void awaitWakeups(LockEngine one, LockEngine other) {
        long ofOne = one.wakeups();
        long ofOther = other.wakeups();
        Awaitility.await().until(() -> one.wakeups() > ofOne + 1 && other.wakeups() > ofOther + 1);
    }

    @Test
    void provider_that_fails_is_named() {
        sealed = true;

        assertThatThrownBy(() -> store.inspect(LockKey.of("sealed")))
                .isInstanceOfSatisfying(LockStoreException.class, e -> {
                    assertThat(e)
                            .hasMessageStartingWith("No command was sent to Redis at 127.0.0.1:" + server.port()
                                    + ", because its credentials could not be obtained")
                            .hasMessageContaining("Check the credentials provider");
                    assertThat(e.outcomeUnknown()).isFalse();
                });

        sealed = false;
        if (provider != Provider.JEDIS_TOKENS) { // the manager itself does not start again
            assertThat(store.inspect(LockKey.of("sealed")).holder()).isEmpty();
        }
    }

    /** Many clear the flag, and only say in a cause that they were interrupted. */
    @Test
    void provider_that_is_interrupted_leaves_its_caller_interrupted() {
        store.inspect(LockKey.of("started"));
        RedisConnectionFactory interrupted = new JedisConnectionFactory(
                new RedisStandaloneConfiguration("127.0.0.1", server.port()),
                JedisClientConfiguration.builder()
                        .customizeClientConfig(client -> client.credentialsProvider(() -> {
                            throw new IllegalStateException(new InterruptedException());
                        }))
                        .build());
        try (RedisLockStore other = new RedisLockStore(interrupted, TestRedis.PATIENT)) {
            assertThatThrownBy(() -> other.inspect(LockKey.of("interrupted"))).isInstanceOf(LockStoreException.class);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void provider_is_heard_only_while_there_are_connections() {
        assertThat(changes.currentSubscriberCount()).isZero();
        store.inspect(LockKey.of("heard"));
        assertThat(changes.currentSubscriberCount()).isEqualTo(provider == Provider.LETTUCE_STREAM ? 1 : 0);

        store.disconnect();
        assertThat(changes.currentSubscriberCount()).isZero();
    }

    /** Some services close them without a sign when the credentials end. */
    @Test
    void provider_that_announces_credentials_replaces_all_connections_that_were_made_with_former_ones() {
        assumeTrue(provider == Provider.JEDIS_TOKENS || provider == Provider.LETTUCE_STREAM);
        try (LockEngine locks = LockEngine.builder(store).build();
                LockHandle held = locks.acquire(LockRequest.of("held"))) {
            Awaitility.await().until(() -> administrator.clientList().contains(" sub=1 "));
            Set<String> former = clients();

            administrator.aclSetUser(USER, ">next");
            password = "next";
            changes.tryEmitNext(RedisCredentials.just(USER, "next"));

            Awaitility.await().until(() -> Collections.disjoint(clients(), former));
            assertThat(held.isHeld()).isTrue();
        }
    }

    private Set<String> clients() {
        return administrator
                .clientList()
                .lines()
                .filter(client -> client.contains("user=" + USER + " "))
                .map(client -> client.split(" ", 2)[0])
                .collect(Collectors.toSet());
    }
}
