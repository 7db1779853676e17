package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.annotation.OnLost;
import java.util.Optional;
import java.util.function.BiFunction;
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
     * @param where the annotated method, for messages
     * @param isScheduled whether the method is scheduled
     * @param annotation says the mode, and whether a loss is to stop the work
     * @param given what else the annotation says
     * @param configured what the properties say; they may not be there yet
     * @param doubtful warns of what all of them say together
     */
    static Supplier<LockRequest> of(
            String name,
            String where,
            boolean isScheduled,
            DistributedLock annotation,
            LockSettings given,
            Supplier<ConfiguredSettings> configured,
            DoubtfulSettings doubtful) {
        return SingletonSupplier.of(() -> {
            ConfiguredSettings properties = configured.get();
            LockSettings settings = given.or(properties.of(name, isScheduled));
            LockRequest request = lock(annotation, settings, where, " or set " + limitOf(name))
                    .name(name)
                    .waitFor(settings.waitFor().orElse(properties.waitFor()))
                    .interruptOnLoss(annotation.onLost() == OnLost.INTERRUPT);
            request = with(request, settings.lease(), LockRequest::lease);
            request = with(request, settings.renew(), LockRequest::renew);
            request = with(request, settings.minHold(), LockRequest::minHold);
            request = with(request, settings.maxHold(), LockRequest::maxHold);
            request = with(request, settings.outageTolerance(), LockRequest::outageTolerance);
            doubtful.warn(settings, properties.lease());
            return with(request, settings.maxWaiting(), LockRequest::maxWaiting);
        });
    }

    /**
     * {@return what is said of the lock itself: mode, limit, weight, fairness}
     *
     * @param annotation says the mode
     * @param settings say the rest
     * @param where the annotated method, for messages
     * @param elsewhere where else a limit may be set, for messages
     * @throws LockDefinitionException if the weight does not fit, or a semaphore has no permits
     */
    static LockRequest lock(DistributedLock annotation, LockSettings settings, String where, String elsewhere) {
        LockRequest request = withWeight(annotation, settings, where);
        if (annotation.limit() == LockAnnotations.PERMITS_OF_PROPERTIES
                && settings.limit().isEmpty()) {
            throw new LockDefinitionException(
                    where + " has a @DistributedSemaphore without permits, which would not limit anything.",
                    "Set permits in the annotation" + elsewhere + ".");
        }
        return request;
    }

    private static LockRequest withWeight(DistributedLock annotation, LockSettings settings, String where) {
        LockRequest request = LockRequest.of(NO_KEY_YET).fair(settings.fair().orElse(false));
        if (annotation.mode() == LockMode.EXCLUSIVE) {
            return request;
        }
        int weight = settings.weight().orElse(1);
        try {
            return request.shared(settings.limit().orElse(LockRequest.UNLIMITED))
                    .weight(weight);
        } catch (IllegalArgumentException e) {
            throw new LockDefinitionException(
                    where + " has weight = " + weight + " (holdfast.instances), which is invalid: " + e.getMessage()
                            + ".",
                    "Set a limit of at least the weight, or remove the weight.",
                    e);
        }
    }

    private static String limitOf(String name) {
        boolean plain =
                name.chars().allMatch(each -> each == '-' || Character.isLowerCase(each) || Character.isDigit(each));
        return "holdfast.instances" + (plain ? "." + name : "[" + name + "]") + ".limit";
    }

    private static <T> LockRequest with(
            LockRequest request, Optional<T> value, BiFunction<LockRequest, T, LockRequest> setting) {
        return value.map(given -> setting.apply(request, given)).orElse(request);
    }
}
