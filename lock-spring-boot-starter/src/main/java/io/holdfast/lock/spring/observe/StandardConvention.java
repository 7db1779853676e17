package io.holdfast.lock.spring.observe;

import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.Locale;

/** The starter's convention: tags of the timer, and the key only on demand. */
final class StandardConvention implements LockObservationConvention {

    private final LockNames names = new LockNames();
    private final boolean includeKey;

    StandardConvention(boolean includeKey) {
        this.includeKey = includeKey;
    }

    @Override
    public String getName() {
        return Meters.ACQUIRE;
    }

    @Override
    public String getContextualName(LockObservationContext context) {
        return context.getLockName().isEmpty() ? "acquire lock" : "acquire lock " + context.getLockName();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
        String outcome = context.getOutcome()
                .map(each -> each.name().toLowerCase(Locale.ROOT))
                .orElse(Meters.NONE);
        return KeyValues.of(
                KeyValue.of(Meters.NAME, names.tag(context.getLockName())), KeyValue.of(Meters.OUTCOME, outcome));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
        return includeKey
                ? KeyValues.of(KeyValue.of("holdfast.key", context.getKey().toString()))
                : KeyValues.empty();
    }
}
