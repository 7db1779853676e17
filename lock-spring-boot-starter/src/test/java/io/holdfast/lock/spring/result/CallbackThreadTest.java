package io.holdfast.lock.spring.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockedCallable;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.framework.ProxyFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Everything is over before the event loop that asked for it goes on: here, since the lock client has no other threads. */
@Timeout(60)
class CallbackThreadTest implements AsyncCall.Rules {

    private final InMemoryLockStore store = new InMemoryLockStore();
    private final LockEngine locks =
            LockEngine.builder(store).executor(Runnable::run).build();
    private final Scheduler loop = Schedulers.newSingle("event-loop");
    private final AsyncResults async = new AsyncResults();
    private final AtomicReference<Thread> refusal = new AtomicReference<>();

    @AfterEach
    void close() {
        loop.dispose();
        locks.close();
    }

    @Override
    public Object run(LockHandle lock, LockedCallable<Object, Throwable> method) throws Throwable {
        return method.call();
    }

    @Override
    public Object refused(Throwable failure) {
        refusal.set(Thread.currentThread());
        return null;
    }

    @Override
    public boolean toleratesLoss() {
        return false;
    }

    @Override
    public boolean tolerates(LockLostException loss) {
        return false;
    }

    private Results service(ResultKind kind) {
        ProxyFactory proxies = new ProxyFactory(new Results());
        proxies.setProxyTargetClass(true);
        proxies.addAdvice((MethodInterceptor) invocation -> async.run(kind, call(invocation)));
        return (Results) proxies.getProxy();
    }

    private AsyncCall call(MethodInvocation invocation) {
        LockRequest request = LockRequest.of(Results.KEY).waitFor(Duration.ZERO);
        Class<?> type = invocation.getMethod().getReturnType();
        return new AsyncCall(() -> locks, request, invocation, type, "call", this);
    }

    @Test
    void end_of_a_publisher_is_not_signalled_on_the_loop() {
        var end = new AtomicReference<Thread>();
        service(ResultKind.PUBLISHER)
                .mono(() -> Mono.just("done"))
                .doOnNext(value -> end.set(Thread.currentThread()))
                .subscribeOn(loop)
                .block();
        assertThat(end.get().getName()).doesNotContain("event-loop");
    }

    @Test
    void refused_subscription_is_answered_on_another_thread() {
        try (LockHandle other = locks.acquire(Results.KEY).detach()) {
            assertThat(service(ResultKind.PUBLISHER)
                            .mono(() -> Mono.just("never"))
                            .subscribeOn(loop)
                            .block())
                    .isNull();
        }
        assertThat(refusal.get().getName()).doesNotContain("event-loop");
    }
}
