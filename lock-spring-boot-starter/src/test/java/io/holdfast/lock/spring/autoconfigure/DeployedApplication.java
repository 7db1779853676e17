package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.annotation.Configurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Mono;

/** Run by {@link RedeploymentTest} in a class loader of its own: starts, acquires locks in all ways if it is to, and ends. */
final class DeployedApplication {

    static class Service {

        private final AtomicBoolean led = new AtomicBoolean();

        @DistributedLock(name = "value", key = "#id")
        public UUID value(UUID id) {
            return id;
        }

        @DistributedLock(name = "stage", key = "#id")
        public CompletableFuture<UUID> stage(UUID id) {
            return CompletableFuture.completedFuture(id);
        }

        @DistributedLock(name = "publisher", key = "#id")
        public Mono<UUID> publisher(UUID id) {
            return Mono.just(id);
        }

        @LeaderOnly("jobs")
        public void job() {
            led.set(true);
        }

        public boolean hasLed() {
            return led.get();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        Service service() {
            return new Service();
        }
    }

    private DeployedApplication() {}

    static void run(boolean busy, String... properties) throws InterruptedException {
        List<Class<?>> automatic = new ArrayList<>(List.of(Runners.lockConfigurations()));
        automatic.add(AopAutoConfiguration.class);
        automatic.add(DataRedisAutoConfiguration.class);
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Beans.class)
                .sources(Configurations.getClasses(AutoConfigurations.of(automatic.toArray(Class<?>[]::new))))
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .properties(properties)
                .run();
        try (context) {
            if (busy) {
                use(context.getBean(Service.class));
                use(context.getBean(LockTemplate.class));
                context.getBean(LeaderElection.class).join("late");
            }
        }
    }

    private static void use(Service service) {
        service.value(UUID.randomUUID());
        service.stage(UUID.randomUUID()).join();
        service.publisher(UUID.randomUUID()).block();
        while (!service.hasLed()) {
            service.job();
            Thread.onSpinWait();
        }
    }

    /** Leaves some of its locks to the end of the client. */
    private static void use(LockTemplate locks) throws InterruptedException {
        String key = UUID.randomUUID().toString();
        LockHandle held = locks.acquire(key);
        Thread waiter = new Thread(() -> locks.execute(LockRequest.of(key).waitFor(LockRequest.MAX_TIME), () -> {}));
        waiter.start();
        while (waiter.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        held.close();
        waiter.join();
        LockHandle lost = locks.acquire(key);
        locks.forceRelease(key);
        try {
            lost.close();
        } catch (LockLostException expected) {
            // as an application does that logs it
        }
        locks.executeAsync(LockRequest.of("async:" + key), handle -> CompletableFuture.completedFuture(handle.key()))
                .join();
        var unfinished = locks.executeAsync(LockRequest.of("unfinished:" + key), handle -> new CompletableFuture<>());
        locks.acquire("left:" + key);
        locks.getLock("view:" + key).lock();
        locks.acquire(LockRequest.ofAll(List.of("left:" + key, "more:" + key)));
    }
}
