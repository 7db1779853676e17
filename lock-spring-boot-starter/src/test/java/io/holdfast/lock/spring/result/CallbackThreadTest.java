package io.holdfast.lock.spring.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.ProxyFactory;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Everything is over before the event loop that asked for it goes on: here, since the lock client has no other threads. */
@Timeout(60)
class CallbackThreadTest {

    private final InMemoryLockStore store = new InMemoryLockStore();
    private final LockEngine locks =
            LockEngine.builder(store).executor(Runnable::run).build();
    private final Scheduler loop = Schedulers.newSingle("event-loop");
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicReference<Thread> refusal = new AtomicReference<>();

    @AfterEach
    void close() {
        loop.dispose();
        locks.close();
        threads.shutdown();
    }

    /** Has no rules. */
    private final class Call implements LockedCall {

        private final ProxyMethodInvocation invocation;

        Call(MethodInvocation invocation) {
            this.invocation = (ProxyMethodInvocation) ((ProxyMethodInvocation) invocation).invocableClone();
        }

        @Override
        public LockTemplate template() {
            return locks;
        }

        @Override
        public LockRequest request() {
            return LockRequest.of(Results.KEY).waitFor(Duration.ZERO);
        }

        @Override
        public MethodInvocation invocation() {
            return invocation;
        }

        @Override
        public Object runElsewhere(LockHandle lock, Object[] arguments) throws Throwable {
            return invocation.invocableClone(arguments).proceed();
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
        public Throwable outcome(Throwable own, Throwable ofRelease) {
            return ofRelease == null ? own : ofRelease;
        }
    }

    private Results service() {
        ProxyFactory proxies = new ProxyFactory(new Results());
        proxies.setProxyTargetClass(true);
        proxies.addAdvice((MethodInterceptor) invocation ->
                new PublisherLock(new Call(invocation), invocation.getMethod().getReturnType(), threads).locked());
        return (Results) proxies.getProxy();
    }

    @Test
    void end_of_a_publisher_is_not_signalled_on_the_loop() {
        var end = new AtomicReference<Thread>();
        service()
                .mono(() -> Mono.just("done"))
                .doOnNext(value -> end.set(Thread.currentThread()))
                .subscribeOn(loop)
                .block();
        assertThat(end.get().getName()).doesNotContain("event-loop");
    }

    @Test
    void refused_subscription_is_answered_on_another_thread() {
        try (LockHandle other = locks.acquire(Results.KEY).detach()) {
            assertThat(service()
                            .mono(() -> Mono.just("never"))
                            .subscribeOn(loop)
                            .block())
                    .isNull();
        }
        assertThat(refusal.get().getName()).doesNotContain("event-loop");
    }
}
