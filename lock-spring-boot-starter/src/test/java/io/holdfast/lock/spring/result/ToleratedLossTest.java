package io.holdfast.lock.spring.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockedCallable;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.framework.ProxyFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.test.StepVerifier;

/** Calls whose rules say that their result stands, although the lock was lost. */
@Timeout(60)
class ToleratedLossTest implements AsyncCall.Rules {

    /** Time for a stream to be ended, if it were. */
    private static final Duration PAUSE = Duration.ofMillis(300);

    private final InMemoryLockStore store = new InMemoryLockStore();
    private final LockEngine locks = LockEngine.builder(store).build();
    private final AsyncResults async = new AsyncResults();
    private final CompletableFuture<String> known = new CompletableFuture<>();
    private volatile LockHandle held;
    private final List<LockLostException> losses = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        locks.close();
    }

    @Override
    public Object run(LockHandle lock, LockedCallable<Object, Throwable> method) throws Throwable {
        held = lock;
        lock.onLost(loss -> known.complete(loss.key().toString()));
        return method.call();
    }

    @Override
    public Object refused(Throwable failure) throws Throwable {
        throw failure;
    }

    @Override
    public boolean toleratesLoss() {
        return true;
    }

    @Override
    public boolean tolerates(LockLostException loss) {
        return losses.add(loss);
    }

    private Results service(ResultKind kind) {
        ProxyFactory proxies = new ProxyFactory(new Results());
        proxies.setProxyTargetClass(true);
        proxies.addAdvice((MethodInterceptor) invocation -> async.run(kind, call(invocation)));
        return (Results) proxies.getProxy();
    }

    private AsyncCall call(MethodInvocation invocation) {
        LockRequest request = LockRequest.of(Results.KEY).lease(Duration.ofSeconds(1));
        Class<?> type = invocation.getMethod().getReturnType();
        return new AsyncCall(() -> locks, request, invocation, type, "call", this);
    }

    private <T> T lost(T value) {
        locks.forceRelease(Results.KEY);
        return value;
    }

    private void assertOneLoss() {
        assertThat(losses).hasSize(1);
    }

    @Test
    void value_of_a_mono_stands() {
        StepVerifier.create(service(ResultKind.PUBLISHER).mono(() -> Mono.fromSupplier(() -> lost("done"))))
                .expectNext("done")
                .verifyComplete();
        assertOneLoss();
    }

    @Test
    void failure_of_a_mono_stands() {
        StepVerifier.create(service(ResultKind.PUBLISHER)
                        .mono(() -> Mono.defer(() -> Mono.error(lost(new IOException("own"))))))
                .verifyError(IOException.class);
        assertOneLoss();
    }

    /** The holder learns of the loss at a renewal, while the stream goes on. */
    @Test
    void stream_goes_on() {
        StepVerifier.create(service(ResultKind.PUBLISHER)
                        .flux(() -> Flux.just(1)
                                .doOnNext(this::lost)
                                .concatWith(Mono.fromFuture(known)
                                        .then(Mono.delay(PAUSE))
                                        .thenReturn(2))))
                .expectNext(1, 2)
                .verifyComplete();
        assertOneLoss();
    }

    @Test
    void value_of_a_stage_stands() throws Exception {
        CompletableFuture<String> result =
                service(ResultKind.STAGE).stage(() -> CompletableFuture.completedFuture(lost("done")));
        assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("done");
        assertOneLoss();
    }

    @Test
    void failure_of_a_stage_stands() {
        CompletableFuture<String> result =
                service(ResultKind.STAGE).stage(() -> CompletableFuture.failedFuture(lost(new IOException("own"))));
        assertThatThrownBy(() -> result.get(30, TimeUnit.SECONDS)).cause().isInstanceOf(IOException.class);
        assertOneLoss();
    }

    @Test
    void loss_that_the_work_finds_is_not_tolerated() {
        assertThatThrownBy(() -> service(ResultKind.STAGE).stage(() -> {
                    locks.forceRelease(Results.KEY);
                    held.extend(Duration.ofSeconds(9));
                    return CompletableFuture.completedFuture("not reached");
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(losses).isEmpty();
    }

    @Test
    void null_instead_of_a_stage_stands() {
        assertThat(service(ResultKind.STAGE).stage(() -> lost(null))).isNull();
        assertOneLoss();
    }
}
