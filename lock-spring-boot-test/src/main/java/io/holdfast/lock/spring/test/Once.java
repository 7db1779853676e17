package io.holdfast.lock.spring.test;

import java.util.concurrent.atomic.AtomicBoolean;

/** A simulation that ends once, however often it is closed. */
final class Once implements Simulation {

    private final AtomicBoolean closed = new AtomicBoolean();
    private final Runnable end;

    Once(Runnable end) {
        this.end = end;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            end.run();
        }
    }
}
