package io.holdfast.lock.sample;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.springframework.stereotype.Component;

/** Stands in for the payment provider: slow, and charges twice if it is called twice. */
@Component
class CardTerminal {

    private static final Duration SLOW = Duration.ofMillis(200);

    void charge(long amountCents) {
        LockSupport.parkNanos(this, SLOW.toNanos());
    }
}
