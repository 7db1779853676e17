package io.holdfast.lock.spring.operations;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LocalLocks.SubscriptionState;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockOverloadException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Bystander;
import io.holdfast.lock.spring.WebApplication;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.testing.FaultProxy;
import io.holdfast.lock.testing.NewThread;
import io.holdfast.lock.testing.TestRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.scheduling.annotation.Scheduled;

/** An application to which everything has happened that meters of locks count, on a real Redis. */
final class BusyApplication implements AutoCloseable {

    static class Jobs {

        @Scheduled(fixedRate = 60_000)
        @OnOneInstance(name = "operations-report")
        public void report() {}
    }

    private static final Pattern YAML = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
    private static final String KEY = "operations:42";
    private static final LockRequest ORDER = LockRequest.of(KEY)
            .name("order")
            .lease(Duration.ofSeconds(30))
            .waitFor(Duration.ofMinutes(1))
            .outageTolerance(Duration.ZERO);

    private static final LockRequest ONCE = ORDER.waitFor(Duration.ZERO);

    private final FaultProxy proxy = new FaultProxy(TestRedis.shared().port());
    private final Bystander bystander = new Bystander();
    private final WebApplication application = WebApplication.start(Jobs.class, settings());
    private final LockTemplate locks = application.bean(LockTemplate.class);

    private String[] settings() {
        Stream<String> own = Stream.of(
                "spring.data.redis.port=" + proxy.port(),
                "holdfast.redis.command-timeout=10s",
                "holdfast.leadership.roles.outbox.enabled=true");
        return Stream.concat(own, recommended()).toArray(String[]::new);
    }

    /** The first settings on the page. */
    private static Stream<String> recommended() {
        Matcher block = YAML.matcher(read(Path.of("..", "docs", "operations.md")));
        Assertions.assertThat(block.find()).isTrue();
        YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
        yaml.setResources(new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8)));
        return Objects.requireNonNull(yaml.getObject()).entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue());
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns what Prometheus scrapes then. */
    String scrapeAfterEverything() {
        awaitSample("holdfast_leadership_leader{role=\"outbox\"}");
        application.bean(Jobs.class).report();
        wakeup();
        handOff();
        refuse();
        overload();
        renew();
        loseByForce();
        failStore();
        return scrape();
    }

    String scrape() {
        return application.get("/actuator/prometheus").body();
    }

    private void awaitSample(String sample) {
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> scrape().lines().anyMatch(line -> line.startsWith(sample) && !line.endsWith(" 0.0")));
    }

    /** As the last of so many. */
    private CompletableFuture<LockHandle> waiter(int number) {
        CompletableFuture<LockHandle> waiter =
                NewThread.start(() -> locks.acquire(ORDER).detach());
        awaitSample("holdfast_waiting{name=\"order\"} " + number);
        return waiter;
    }

    private void wakeup() {
        LockHandle elsewhere = bystander.locks().acquire(ORDER);
        CompletableFuture<LockHandle> waiter = waiter(1);
        Awaitility.await()
                .until(() -> ((LocalLocks) locks).subscriptionState() == SubscriptionState.CONNECTED
                        && locks.inspect(KEY).waiters() == 1);
        elsewhere.close();
        waiter.join().close();
    }

    /** The first waiter asks Redis, for the second one too. */
    private void handOff() {
        LockHandle held = locks.acquire(ORDER).detach();
        CompletableFuture<LockHandle> first = waiter(1);
        CompletableFuture<LockHandle> second = waiter(2);
        held.close();
        CompletableFuture.allOf(first.thenAccept(LockHandle::close), second.thenAccept(LockHandle::close))
                .join();
        awaitSample("holdfast_handoffs_total{name=\"order\"}");
    }

    private void refuse() {
        try (LockHandle elsewhere = bystander.locks().acquire(ORDER)) {
            Assertions.assertThat(locks.tryAcquire(ONCE)).isEmpty();
        }
    }

    private void overload() {
        LockHandle held = locks.acquire(ORDER).detach();
        CompletableFuture<LockHandle> waiter = waiter(1);
        LockRequest limited = ORDER.maxWaiting(1);
        Assertions.assertThatThrownBy(() -> NewThread.call(() -> locks.acquire(limited)))
                .hasStackTraceContaining(LockOverloadException.class.getSimpleName());
        held.close();
        waiter.join().close();
    }

    private void renew() {
        try (LockHandle held = locks.acquire(ORDER.lease(Duration.ofSeconds(9)))) {
            awaitSample("holdfast_renewals_total{outcome=\"renewed\"}");
            held.ensureHeld();
        }
    }

    private void loseByForce() {
        LockHandle held = locks.acquire(ORDER).detach();
        locks.forceRelease(KEY);
        Awaitility.await().until(() -> !held.isHeld());
    }

    private void failStore() {
        proxy.refuse(true);
        proxy.cut();
        Assertions.assertThatThrownBy(() -> locks.tryAcquire(ONCE)).isInstanceOf(LockStoreException.class);
        proxy.refuse(false);
    }

    @Override
    public void close() {
        application.close();
        bystander.close();
        proxy.close();
    }
}
