package io.holdfast.lock.spring.observation;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.spring.observation.LockObservationDocumentation.HighCardinalityKeyNames;
import io.holdfast.lock.spring.observation.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.KeyValues;
import java.util.Locale;

/** The starter's convention, which may be extended: the tags of the timer, and for whom the caller waited, without the key. */
public class DefaultLockObservationConvention implements LockObservationConvention {

    /** Creates an instance. */
    public DefaultLockObservationConvention() {}

    @Override
    public String getName() {
        return "holdfast.acquire";
    }

    @Override
    public String getContextualName(LockObservationContext context) {
        return context.getLockName().isEmpty() ? "acquire lock" : "acquire lock " + context.getLockName();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
        String outcome = context.getOutcome()
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .orElse("none");
        String name = context.getLockName().isEmpty() ? "none" : context.getLockName();
        return KeyValues.of(
                LowCardinalityKeyNames.NAME.withValue(name), LowCardinalityKeyNames.OUTCOME.withValue(outcome));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
        LockHolder holder = context.getBlockedBy().orElse(null);
        if (holder == null) {
            return KeyValues.empty();
        }
        KeyValues known = KeyValues.of(
                HighCardinalityKeyNames.HOLDER.withValue(
                        holder.host() + " (pid " + holder.pid() + ", thread " + holder.thread() + ")"),
                HighCardinalityKeyNames.WAITED.withValue(
                        Long.toString(context.getWaitedFor().toMillis())));
        int place = context.getPlaceInLine();
        if (place > 0) {
            known = known.and(HighCardinalityKeyNames.PLACE_IN_LINE.withValue(Integer.toString(place)));
        }
        String traceId = holder.traceId().orElse(null);
        return traceId == null ? known : known.and(HighCardinalityKeyNames.HOLDER_TRACE_ID.withValue(traceId));
    }
}
