package io.holdfast.lock.spring.result;

import io.micrometer.observation.Observation;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import reactor.util.context.ContextView;

/**
 * The observation of a subscriber, such as that of a request. Reactor's context contains it. On the subscriber's thread it is current
 * only if Reactor restores it there, which is not the default.
 */
public final class SubscriberObservation {

    private static final boolean MICROMETER =
            ClassUtils.isPresent("io.micrometer.observation.Observation", SubscriberObservation.class.getClassLoader());

    private SubscriberObservation() {}

    /**
     * Acquires a lock, so that the observation of the acquisition belongs to that of the subscriber.
     *
     * @param context the context of the subscriber
     * @param acquisition starts on this thread
     * @return the result of the acquisition
     */
    public static <T> T call(ContextView context, Supplier<T> acquisition) {
        return MICROMETER ? Current.call(context, acquisition) : acquisition.get();
    }

    /** Loaded only if Micrometer is present. */
    private static final class Current {

        static <T> T call(ContextView context, Supplier<T> acquisition) {
            Observation parent = context.<@Nullable Observation>getOrDefault(ObservationThreadLocalAccessor.KEY, null);
            try (Observation.Scope scope = parent == null ? Observation.Scope.NOOP : parent.openScope()) {
                return acquisition.get();
            }
        }
    }
}
