package io.holdfast.lock.spring.observe;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * Publishes what happens to locks as application events, on the thread that calls lock listeners. Not while the
 * beans of the application are destroyed: those who would hear of it are going, or gone.
 *
 * <p>As long as nobody in the application listens to events of locks, none is made for it. Who listens is looked for again
 * whenever the number of listeners has changed. Where events are multicast in a way of the application's own, or to
 * the listeners of a parent context as well, nobody knows who listens, so all are made.
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

    private final ApplicationEventPublisher application;
    private volatile boolean closed;
    private volatile @Nullable Audience audience;

    /** Whether somebody listens, as of when there were so many listeners. */
    private record Audience(int listeners, boolean any) {}

    LockEventPublisher(ApplicationEventPublisher application) {
        this.application = application;
    }

    @Override
    public boolean isListening() {
        if (closed || !(application instanceof AbstractApplicationContext context) || context.getParent() != null) {
            return !closed;
        }
        int number = context.getApplicationListeners().size();
        Audience known = audience;
        if (known == null || known.listeners() != number) {
            known = new Audience(number, isHeard(context));
            audience = known;
        }
        return known.any();
    }

    private static boolean isHeard(AbstractApplicationContext context) {
        Object multicaster = context.getBeanFactory()
                .getSingleton(AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME);
        try {
            return (multicaster != null && multicaster.getClass() != SimpleApplicationEventMulticaster.class)
                    || List.copyOf(context.getApplicationListeners()).stream().anyMatch(LockEventPublisher::hears)
                    || Stream.of(context.getBeanNamesForType(ApplicationListener.class, true, false))
                            .map(BeanFactoryUtils::transformedBeanName)
                            .anyMatch(name -> !context.getBeanFactory()
                                    .containsSingleton(name)); // nobody knows yet what it hears
        } catch (RuntimeException e) {
            return true; // listeners may come and go while they are looked at
        }
    }

    private static boolean hears(ApplicationListener<?> listener) {
        GenericApplicationListener asked = listener instanceof GenericApplicationListener generic
                ? generic
                : new GenericApplicationListenerAdapter(listener);
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
