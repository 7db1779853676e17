package io.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnLost;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

/** A loss that is only to be logged, beside a transaction, which is not committed under a lost lock. */
class LoggedLossTest {

    static class OfTheMethod {
        @Transactional
        @DistributedLock(key = "'x'", onLost = OnLost.LOG)
        public void run() {}
    }

    @Transactional(propagation = Propagation.MANDATORY)
    static class OfTheClass {
        @DistributedLock(key = "'x'", onLost = OnLost.LOG)
        public String run() {
            return "done";
        }
    }

    /** What it returns goes on after the commit. */
    @Transactional
    static class GoingOn {
        @DistributedLock(key = "'x'", onLost = OnLost.LOG)
        public CompletableFuture<String> run() {
            return CompletableFuture.completedFuture("done");
        }
    }

    static class Outside {
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        @DistributedLock(key = "'x'", onLost = OnLost.LOG)
        public void run() {}
    }

    static class Without {
        @DistributedLock(key = "'x'", onLost = OnLost.LOG)
        public void run() {}

        @Transactional
        public void commit() {}
    }

    @Transactional
    static class Reactive {
        @DistributedLock(key = "'x'", onLost = OnLost.LOG)
        public Mono<String> run() {
            return Mono.just("done");
        }
    }

    @Transactional
    static class Thrown {
        @DistributedLock(key = "'x'")
        public void run() {}
    }

    @ParameterizedTest
    @ValueSource(classes = {OfTheMethod.class, OfTheClass.class})
    void fails_startup(Class<?> bean) {
        Runners.inMemory()
                .withUserConfiguration(TransactionOrderTest.Transactions.class)
                .withBean(bean)
                .run(context -> assertThat(Startup.failureOf(context))
                        .contains(bean.getSimpleName() + ".run() has onLost = LOG")
                        .contains("Remove onLost = LOG"));
    }

    @ParameterizedTest
    @ValueSource(classes = {Outside.class, Without.class, Reactive.class, GoingOn.class, Thrown.class})
    void does_not_matter_where_nothing_is_committed_by_the_method(Class<?> bean) {
        Runners.inMemory()
                .withUserConfiguration(TransactionOrderTest.Transactions.class)
                .withBean(bean)
                .run(context -> assertThat(context).hasNotFailed());
    }
}
