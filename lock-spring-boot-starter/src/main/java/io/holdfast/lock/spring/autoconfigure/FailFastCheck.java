package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/** Asks the store once, and ends the start if it does not answer. */
final class FailFastCheck implements SmartInitializingSingleton {

    private final ObjectProvider<LockTemplate> templates;

    FailFastCheck(ObjectProvider<LockTemplate> templates) {
        this.templates = templates;
    }

    /** Most failures of the store say themselves what to check. */
    private static String action(String problem) {
        String without = "To start without it, set lock.fail-fast=false.";
        return problem.contains("Check") || problem.contains("spring.data.redis")
                ? without
                : "Check host, port, user and password under spring.data.redis, or under lock.redis or lock.quorum if"
                        + " that is set. " + without;
    }

    @Override
    public void afterSingletonsInstantiated() {
        LockTemplate template = templates.getIfAvailable();
        if (template == null) {
            throw new LockSetupException(
                    "lock.fail-fast is true, and the application has no RedisConnectionFactory to keep locks with.",
                    "Add spring-boot-starter-data-redis with spring.data.redis.host and port, or set lock.redis.host and"
                            + " port, or lock.store=in-memory, or add a LockStore or LockTemplate bean.",
                    null);
        }
        try {
            template.inspect("fail-fast");
        } catch (LockStoreException e) {
            throw new LockSetupException(
                    "lock.fail-fast is true, and the lock store does not answer: " + e.getMessage(),
                    action(String.valueOf(e.getMessage())),
                    e);
        }
    }
}
