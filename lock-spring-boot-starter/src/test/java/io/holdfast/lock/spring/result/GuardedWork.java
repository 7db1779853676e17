package io.holdfast.lock.spring.result;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.store.LockStore;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Locked work whose results complete on threads of Reactor, while a guard throws on these threads at each blocking call, for {@link
 * BlockHoundTest}. Says "held: 0" if all went well, and else what did not.
 */
final class GuardedWork {

    private static final int MANY = 2_000;
    private static final int SECONDS = 60;

    private GuardedWork() {}

    static class Service {

        @DistributedLock(key = "#key")
        public CompletableFuture<String> stage(String key, CompletableFuture<String> work) {
            return work;
        }

        @DistributedLock(key = "#key")
        public Mono<String> mono(String key) {
            return Mono.just("done").publishOn(Schedulers.parallel());
        }
    }

    @SuppressWarnings("SystemOut") // this is how it talks to the test
    public static void main(String[] arguments) throws Exception {
        Class.forName("reactor.blockhound.BlockHound")
                .getMethod("install", integrations())
                .invoke(null, Array.newInstance(integrations().getComponentType(), 0));
        System.out.println(isGuarded() ? "on guard" : "not on guard");
        AtomicReference<String> summary = new AtomicReference<>("");
        Runners.inMemory().withBean(Service.class).run(context -> {
            Service service = context.getBean(Service.class);
            LockTemplate locks = context.getBean(LockTemplate.class);
            List<CompletableFuture<String>> results = new ArrayList<>();
            for (int round = 0; round < MANY; round++) {
                String key = "key-" + round;
                CompletableFuture<String> work = new CompletableFuture<>();
                results.add(service.stage("stage-" + key, work));
                CompletableFuture<String> other = new CompletableFuture<>();
                results.add(locks.executeAsync("async-" + key, () -> other));
                Schedulers.parallel().schedule(() -> work.complete("done"));
                Schedulers.parallel().schedule(() -> other.complete("done"));
                results.add(Mono.defer(() -> service.mono("mono-" + key))
                        .subscribeOn(Schedulers.parallel())
                        .toFuture());
            }
            int failed = 0;
            Throwable first = null;
            for (CompletableFuture<String> result : results) {
                try {
                    result.get(SECONDS, TimeUnit.SECONDS);
                } catch (Exception e) {
                    failed++;
                    first = first == null ? e : first;
                }
            }
            LockStore store = context.getBean(LockStore.class);
            long held = IntStream.range(0, MANY)
                    .boxed()
                    .flatMap(i -> List.of("stage-key-" + i, "async-key-" + i, "mono-key-" + i).stream())
                    .filter(key -> store.inspect(LockKey.of(key)).holder().isPresent())
                    .count();
            summary.set("held: " + held + (failed == 0 ? "" : ", failed: " + failed + ", first: " + first));
        });
        System.out.println(summary.get());
        System.exit(0);
    }

    /** By name, so that the tests compile where BlockHound could not be fetched. */
    private static Class<?> integrations() throws ClassNotFoundException {
        return Class.forName("[Lreactor.blockhound.integration.BlockHoundIntegration;");
    }

    private static boolean isGuarded() throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(1);
        Schedulers.parallel().schedule(() -> {
            try {
                Thread.sleep(1);
            } catch (Throwable e) {
                thrown.set(e);
            }
            done.countDown();
        });
        done.await();
        return thrown.get() instanceof Error;
    }
}
