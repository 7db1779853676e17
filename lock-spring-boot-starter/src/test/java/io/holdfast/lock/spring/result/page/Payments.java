package io.holdfast.lock.spring.result.page;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.util.concurrent.CompletableFuture;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;
import reactor.core.publisher.Mono;

@Service
class Payments {

    private final Ledger ledger;

    Payments(Ledger ledger) {
        this.ledger = ledger;
    }

    @DistributedLock(name = "order", key = "#id", waitFor = 2)
    public Mono<Receipt> pay(long id) { // on each subscription, until it completes
        LockHandle lock = LockContext.current().orElseThrow(); // here, not in an operator
        return ledger.find(id).flatMap(order -> ledger.book(order, lock.fencingToken()));
    }

    @DistributedLock(name = "order", key = "#id")
    public CompletableFuture<Receipt> refund(long id) { // until the future completes
        return ledger.refund(id);
    }

    @Async
    @DistributedLock(name = "order", key = "#id")
    public void archive(long id) { // by the thread that runs it
        ledger.archive(id);
    }

    interface Ledger {

        Mono<String> find(long id);

        Mono<Receipt> book(String order, long token);

        CompletableFuture<Receipt> refund(long id);

        void archive(long id);
    }

    record Receipt(String order, long token) {}
}
