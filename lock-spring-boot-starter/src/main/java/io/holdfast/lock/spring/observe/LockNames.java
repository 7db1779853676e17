package io.holdfast.lock.spring.observe;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names that meters are tagged with: at most {@value #MOST}, since each is a time series, or several. Names are meant
 * to be few; where they are made from data, all after the first ones count as one.
 */
final class LockNames {

    static final int MOST = 200;

    /** The tag of all names beyond. */
    static final String OTHER = "other";

    private static final Logger log = LoggerFactory.getLogger(LockNames.class);

    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private volatile boolean full;

    /** {@return the tag for a name} */
    String tag(String name) {
        if (name.isEmpty()) {
            return Meters.NONE;
        }
        if (known.contains(name)) {
            return name;
        }
        return full ? OTHER : add(name);
    }

    private synchronized String add(String name) {
        if (known.size() < MOST || known.contains(name)) {
            known.add(name);
            return name;
        }
        if (!full) {
            full = true;
            log.warn(
                    "There are more than {} lock names; metrics of '{}' and all further names are tagged '{}'. Check"
                            + " whether the names contain data that belongs in the keys.",
                    MOST,
                    name,
                    OTHER);
        }
        return OTHER;
    }
}
