package io.holdfast.lock.spring.observe;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockListener;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * Publishes what happens to locks as application events, on the thread that lock listeners are told on. Not while the
 * beans of the application are destroyed: those who would hear of it are going, or gone.
 *
 * <p>As long as nobody in the application listens to events of locks, none is made for it. Who listens is looked for again
 * whenever the number of listeners has changed.
 */
final class LockEventPublisher implements LockListener, DisposableBean {

    private static final List<ResolvableType> TYPES = Stream.of(LockEvent.class, LockEvent.OfLock.class)
            .flatMap(type -> Stream.of(type.getPermittedSubclasses()))
            .filter(type -> !type.isInterface())
            .map(type -> ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, type))
            .toList();

    private final ApplicationEventPublisher application;
    private volatile boolean closed;
    private volatile @Nullable Hearing hearing;

    /** Whether somebody listens, as of when there were so many listeners. */
    private record Hearing(int listeners, boolean any) {}

    LockEventPublisher(ApplicationEventPublisher application) {
        this.application = application;
    }

    @Override
    public boolean isListening() {
        if (!(application instanceof AbstractApplicationContext context)) {
            return true;
        }
        int number = number(context);
        Hearing known = hearing;
        if (known == null || known.listeners() != number) {
            known = new Hearing(number, isHeardIn(context));
            hearing = known;
        }
        return known.any();
    }

    /** Those of parents hear of it too. */
    private static int number(AbstractApplicationContext context) {
        int own = context.getApplicationListeners().size();
        return context.getParent() instanceof AbstractApplicationContext parent ? own + number(parent) : own;
    }

    private static boolean isHeardIn(AbstractApplicationContext context) {
        ApplicationContext parent = context.getParent();
        return hasListeners(context)
                || parent instanceof AbstractApplicationContext known && isHeardIn(known)
                || parent != null && !(parent instanceof AbstractApplicationContext);
    }

    private static boolean hasListeners(AbstractApplicationContext context) {
        return List.copyOf(context.getApplicationListeners()).stream().anyMatch(LockEventPublisher::hears)
                || Stream.of(context.getBeanNamesForType(ApplicationListener.class, true, false))
                        .anyMatch(name -> isMadeByItsFirstEvent(name, context));
    }

    /** Nobody knows yet what it hears. */
    private static boolean isMadeByItsFirstEvent(String listener, AbstractApplicationContext context) {
        return !context.getBeanFactory().containsSingleton(BeanFactoryUtils.transformedBeanName(listener));
    }

    private static boolean hears(ApplicationListener<?> listener) {
        GenericApplicationListener asked = listener instanceof GenericApplicationListener generic
                ? generic
                : new GenericApplicationListenerAdapter(listener);
        return TYPES.stream().anyMatch(asked::supportsEventType);
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
