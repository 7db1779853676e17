package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
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
     * Warns, once, of what changes nothing: instances that no definition has the name of, and limits of locks that are exclusive.
     *
     * @param definitions all of the application
     */
    public void warnOfUnused(List<LockDefinition> definitions) {
        if (!instances.isEmpty()) {
            Set<String> known = names(definitions, each -> true);
            warnOfUnknown(known);
            warnOfUnusedLimits(known, names(definitions, ConfiguredSettings::isShared));
        }
        warnOfUnusedLimitOfScheduled(definitions);
    }

    private static Set<String> names(List<LockDefinition> definitions, Predicate<LockDefinition> which) {
        return definitions.stream()
                .filter(which)
                .map(LockDefinition::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean isShared(LockDefinition definition) {
        return definition.shape().get().mode() == LockMode.SHARED;
    }

    /** A name that was misspelt. */
    private void warnOfUnknown(Set<String> known) {
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

    /** Several methods may have one name, such as the two of a read-write lock: the limit is for those that are shared. */
    private void warnOfUnusedLimits(Set<String> known, Set<String> shared) {
        Set<String> exclusive = new TreeSet<>(known);
        exclusive.removeAll(shared);
        exclusive.removeIf(name -> of(name, false).limit().isEmpty());
        if (!exclusive.isEmpty()) {
            log.warn(
                    "holdfast.instances has a limit for names whose methods all have mode = EXCLUSIVE: {}. The limit has no"
                            + " effect: one caller at a time holds the lock. Use @DistributedSemaphore or"
                            + " mode = LockMode.SHARED, or remove the limit.",
                    String.join(", ", exclusive));
        }
    }

    private void warnOfUnusedLimitOfScheduled(List<LockDefinition> definitions) {
        if (scheduled.limit().isPresent()
                && definitions.stream()
                        .noneMatch(each -> isShared(each) && DefinitionParser.isScheduled(each.method()))) {
            log.warn("holdfast.scheduled.limit has no effect, because no scheduled method has mode = SHARED. Use"
                    + " @DistributedSemaphore or mode = LockMode.SHARED, or remove the limit.");
        }
    }
}
