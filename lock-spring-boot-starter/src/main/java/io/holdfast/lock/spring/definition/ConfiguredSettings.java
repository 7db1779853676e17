package io.holdfast.lock.spring.definition;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the application's properties say of annotated methods.
 *
 * @param quorum whether a quorum of servers keeps the locks
 * @param lease that of locks where neither the annotation nor its instance says it
 * @param waitFor how long to wait where neither the annotation nor its instance says it
 * @param scheduled {@code holdfast.scheduled}, for methods that are scheduled
 * @param instances {@code holdfast.instances}, by the names of definitions
 */
public record ConfiguredSettings(
        boolean quorum, Duration lease, Duration waitFor, LockSettings scheduled, Map<String, LockSettings> instances) {

    private static final Logger log = LoggerFactory.getLogger(ConfiguredSettings.class);

    LockSettings of(String name, boolean isScheduled) {
        LockSettings settings = instances.getOrDefault(name, LockSettings.NONE);
        return isScheduled ? settings.or(scheduled) : settings;
    }

    /**
     * Warns, once, of instances that no definition has the name of: a name that was misspelt changes nothing, silently.
     *
     * @param definitions all of the application
     */
    public void warnOfUnused(List<LockDefinition> definitions) {
        if (instances.isEmpty()) {
            return;
        }
        Set<String> known =
                definitions.stream().map(LockDefinition::name).collect(Collectors.toCollection(TreeSet::new));
        Set<String> unused = new TreeSet<>(instances.keySet());
        unused.removeAll(known);
        if (!unused.isEmpty()) {
            log.warn(
                    "holdfast.instances has settings for names that no @DistributedLock has: {}. They have no"
                            + " effect. Known names: {}. Names with characters other than letters,"
                            + " digits and hyphens need brackets: holdfast.instances[{}]",
                    String.join(", ", unused),
                    String.join(", ", known),
                    "Orders.pay");
        }
    }
}
