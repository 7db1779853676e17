package io.holdfast.lock.spring.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** Refuses settings that name a Redis for locks, where locks are kept in memory: one of the two is a mistake. */
final class NoRedisForLocks {

    private static final String IN_MEMORY = "lock.store=in-memory";

    private NoRedisForLocks() {}

    /**
     * Looks at properties and beans.
     *
     * @throws LockSetupException if one names a Redis
     */
    static void check(ConfigurableListableBeanFactory beans, Environment environment) {
        Binder binder = Binder.get(environment);
        List<String> given = new ArrayList<>(binder.bindOrCreate("lock.redis", LockConnectionProperties.class)
                .givenServer());
        if (!binder.bindOrCreate("lock.quorum", QuorumProperties.class)
                .servers()
                .isEmpty()) {
            given.add("lock.quorum.nodes");
        }
        if (!given.isEmpty()) {
            throw new LockSetupException(
                    IN_MEMORY + " is set, and so is " + String.join(", ", given) + ".",
                    "Remove one of the two: locks are kept in memory, or in that Redis.",
                    null);
        }
        new ConnectionFactories(beans).refuseMarked(IN_MEMORY);
    }
}
