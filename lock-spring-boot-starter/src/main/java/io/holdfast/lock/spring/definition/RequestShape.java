package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.annotation.OnLost;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.util.function.SingletonSupplier;

/** Puts together what a request has beside its keys: what the annotation says, then its instance, what all scheduled methods
 * have in common, and then the defaults. */
final class RequestShape {

    private static final LockKey NO_KEY_YET = LockKey.of("-");

    private RequestShape() {}

    /**
     * {@return the request of every call but its keys, put together when it is first asked for}
     *
     * @param name what the definition is called
     * @param isScheduled whether the method is scheduled
     * @param mode whether it locks alone
     * @param given what the annotation says
     * @param onLost whether a loss is to stop the work
     * @param configured what the properties say; they may not be there yet
     */
    static Supplier<LockRequest> of(
            String name,
            boolean isScheduled,
            LockMode mode,
            LockSettings given,
            OnLost onLost,
            Supplier<ConfiguredSettings> configured) {
        return SingletonSupplier.of(() -> {
            ConfiguredSettings properties = configured.get();
            return shape(name, mode, given.or(properties.of(name, isScheduled)), onLost, properties);
        });
    }

    private static LockRequest shape(
            String name, LockMode mode, LockSettings settings, OnLost onLost, ConfiguredSettings properties) {
        boolean alone = mode == LockMode.EXCLUSIVE;
        return new LockRequest(
                List.of(NO_KEY_YET),
                name,
                mode,
                alone ? 1 : settings.limit().orElse(LockRequest.UNLIMITED),
                settings.fair().orElse(false),
                settings.lease(),
                settings.waitFor().or(() -> Optional.of(properties.waitFor())),
                settings.renew(),
                settings.minHold(),
                settings.maxHold(),
                settings.outageTolerance(),
                onLost == OnLost.INTERRUPT);
    }
}
