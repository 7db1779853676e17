package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.key.KeySource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of keys that may be the same by accident: of {@code #order.id} and {@code #user.id}, since with equal ids an order
 * and a user would be one lock; and of one name with keys of one part, which is not escaped, and of several.
 */
public final class BareKeys {

    private static final Logger log = LoggerFactory.getLogger(BareKeys.class);

    private BareKeys() {}

    /**
     * Warns, once.
     *
     * @param definitions all of the application
     */
    public static void warnOf(List<LockDefinition> definitions) {
        warnOfBareKeys(definitions);
        warnOfMixedParts(definitions);
    }

    private static void warnOfMixedParts(List<LockDefinition> definitions) {
        Map<String, String> single = new TreeMap<>();
        Map<String, String> joined = new TreeMap<>();
        for (LockDefinition each : definitions) {
            put(each.name(), each.key(), each.caller(), single, joined);
            each.further().forEach(other -> put(other.name(), other.key(), each.caller(), single, joined));
        }
        single.keySet().retainAll(joined.keySet());
        single.forEach((name, caller) -> log.warn(
                "Lock keys of {} and {} share the name '{}'. One has a single part and the other several, so a colon"
                        + " in the single part can make the two keys equal. Rename one of them.",
                caller,
                joined.get(name),
                name));
    }

    private static void put(
            String name, KeySource key, String caller, Map<String, String> single, Map<String, String> joined) {
        if (key.parts() > 0) {
            (key.parts() == 1 ? single : joined).put(name, caller);
        }
    }

    private static void warnOfBareKeys(List<LockDefinition> definitions) {
        Map<String, String> callers = new TreeMap<>();
        for (LockDefinition each : definitions) {
            Stream.concat(Stream.of(each.key()), each.further().stream().map(FurtherLock::key))
                    .map(KeySource::bareExpression)
                    .filter(Objects::nonNull)
                    .forEach(text -> callers.putIfAbsent(
                            each.method().getDeclaringClass().getName() + ' ' + text, text + " on " + each.caller()));
        }
        if (callers.size() > 1) {
            log.warn(
                    "These lock keys have neither a name nor literal text, so different resources with equal values share"
                            + " one lock: {}. Give each of them a name: @DistributedLock(name = \"order\", key ="
                            + " \"#order.id\")",
                    callers.values());
        }
    }
}
