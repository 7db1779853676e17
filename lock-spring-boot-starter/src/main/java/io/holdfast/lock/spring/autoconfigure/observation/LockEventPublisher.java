package io.holdfast.lock.spring.autoconfigure.observation;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * Publishes lock events as application events, on the thread that calls lock listeners. Publishes nothing while the beans of the
 * application are being destroyed, because listeners may already be gone.
 *
 * <p>As long as nothing in the application listens to lock events, none are created. Listeners are checked again whenever their
 * number has changed, and after a second, since one may have replaced another. If the application has its own event multicaster,
 * or a parent context whose listeners receive events too, the listeners are unknown, so all events are created.
 */
final class LockEventPublisher implements LockListener, DisposableBean {

    /** Loaded with the first lock. */
    static final class Types {

        static final List<ResolvableType> ALL = Stream.of(
                        LockEvent.Acquired.class,
                        LockEvent.Failed.class,
                        LockEvent.ForceReleased.class,
                        LockEvent.LongHeld.class,
                        LockEvent.Lost.class,
                        LockEvent.NotAcquired.class,
                        LockEvent.Released.class,
                        LockEvent.RenewalFailed.class,
                        LockEvent.Renewed.class,
                        LockEvent.Waiting.class)
                .map(type -> ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, type))
                .toList();
    }

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final ApplicationEventPublisher application;
    private volatile boolean closed;
    private volatile @Nullable Audience audience;

    /** Whether any listener is interested, determined at that time, when there were that many listeners. */
    private record Audience(int listeners, boolean any, long nanos) {}

    LockEventPublisher(ApplicationEventPublisher application) {
        this.application = application;
    }

    @Override
    public boolean isListening() {
        if (closed || !(application instanceof AbstractApplicationContext context) || context.getParent() != null) {
            return !closed;
        }
        int number = context.getApplicationListeners().size();
        long now = System.nanoTime();
        Audience known = audience;
        if (known == null || known.listeners() != number || now - known.nanos() > SECOND) {
            known = new Audience(number, hasAudience(context), now);
            audience = known;
        }
        return known.any();
    }

    private static boolean hasAudience(AbstractApplicationContext context) {
        Object multicaster = context.getBeanFactory()
                .getSingleton(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME);
        try {
            return (multicaster != null && multicaster.getClass() != SimpleApplicationEventMulticaster.class)
                    || List.copyOf(context.getApplicationListeners()).stream()
                            .anyMatch(LockEventPublisher::isInterested)
                    || Stream.of(context.getBeanNamesForType(ApplicationListener.class, true, false))
                            .map(BeanFactoryUtils::transformedBeanName)
                            .anyMatch(name ->
                                    !context.getBeanFactory().containsSingleton(name)); // its events are not known yet
        } catch (RuntimeException e) {
            return true; // listeners may come and go while they are being checked
        }
    }

    private static boolean isInterested(ApplicationListener<?> listener) {
        var asked = new GenericApplicationListenerAdapter(listener);
        return Types.ALL.stream().anyMatch(asked::supportsEventType);
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
