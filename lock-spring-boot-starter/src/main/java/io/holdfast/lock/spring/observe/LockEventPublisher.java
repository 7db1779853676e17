package io.holdfast.lock.spring.observe;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;

/**
 * Publishes what happens to locks as application events, on the thread that lock listeners are told on. Not while the
 * beans of the application are destroyed: those who would hear of it are going, or gone.
 */
final class LockEventPublisher implements LockListener, DisposableBean {

    private final ApplicationEventPublisher application;
    private volatile boolean closed;

    LockEventPublisher(ApplicationEventPublisher application) {
        this.application = application;
    }

    @Override
    public void onEvent(LockEvent event) {
        if (!closed) {
            application.publishEvent(event);
        }
    }

    @Override
    public void destroy() {
        closed = true;
    }
}
