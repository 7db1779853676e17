package io.holdfast.lock.spring.definition;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of keys like {@code #order.id} and {@code #user.id}: with equal ids, an order and a user would be one lock.
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
        Map<String, String> callers = new TreeMap<>();
        for (LockDefinition each : definitions) {
            String text = each.key().bareExpression();
            if (text != null) {
                callers.putIfAbsent(
                        each.method().getDeclaringClass().getName() + ' ' + text, text + " on " + each.caller());
            }
        }
        if (callers.size() > 1) {
            log.warn(
                    "These lock keys have no name and no text of their own, so different things with equal values are"
                            + " one lock: {}. Give each a name: @DistributedLock(name = \"order\", key = \"#order.id\")",
                    callers.values());
        }
    }
}
