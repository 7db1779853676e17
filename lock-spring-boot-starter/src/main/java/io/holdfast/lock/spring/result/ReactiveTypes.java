package io.holdfast.lock.spring.result;

import java.util.Objects;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;

/** The reactive types that Spring knows: those of Reactor, RxJava, Mutiny, Kotlin's Flow, and of the JDK. */
final class ReactiveTypes {

    private static final String PUBLISHER = "org.reactivestreams.Publisher";
    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Flux", ReactiveTypes.class.getClassLoader());

    /** Asked for the class of each value that a locked method returns. */
    private static final ClassValue<Boolean> REACTIVE = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            return adapterOf(type) != null
                    || ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                            .anyMatch(each -> each.getName().equals(PUBLISHER));
        }
    };

    private ReactiveTypes() {}

    static boolean isReactive(Class<?> type) {
        return REACTIVE.get(type);
    }

    /** Whether a method that declares this type can be given one that we made. */
    static boolean canBeMade(Class<?> type) {
        ReactiveAdapter adapter = adapterOf(type);
        return REACTOR
                && adapter != null
                && adapter.getDescriptor().isDeferred()
                && type.isAssignableFrom(adapter.getReactiveType());
    }

    static boolean isReactorMissing() {
        return !REACTOR;
    }

    /** Whether one without a value can be completed. */
    static boolean canBeEmpty(Class<?> type) {
        ReactiveAdapter adapter = adapterOf(type);
        return adapter == null || adapter.supportsEmpty();
    }

    /** Subscribes; completes with the first value, or null if there is none. */
    static Future<Object> futureOf(Object reactive) {
        return Mono.from(Objects.requireNonNull(adapterOf(reactive.getClass())).toPublisher(reactive))
                .toFuture();
    }

    static @Nullable ReactiveAdapter adapterOf(Class<?> type) {
        return ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
    }
}
