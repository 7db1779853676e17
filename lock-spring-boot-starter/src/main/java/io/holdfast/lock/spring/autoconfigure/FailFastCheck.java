package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import java.util.Locale;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Asks the store, and ends the start if it does not answer. The first call loads the driver, which may take too long: a call
 * that is not answered in time is repeated.
 */
final class FailFastCheck implements SmartInitializingSingleton {

    private static final int MOST_TIMES = 3;

    private final ObjectProvider<LockTemplate> templates;

    FailFastCheck(ObjectProvider<LockTemplate> templates) {
        this.templates = templates;
    }

    /** Most failures of the store say themselves what to do. */
    private static String action(String problem) {
        String text = problem.toLowerCase(Locale.ROOT);
        return (text.contains("check") || text.contains("spring.data.redis")
                        ? "Fix the problem given in the description."
                        : "Check the host, port, user and password in spring.data.redis.*, or in holdfast.redis.url"
                                + " or holdfast.quorum.nodes if set.")
                + " To start without Redis, set holdfast.fail-fast=false.";
    }

    @Override
    public void afterSingletonsInstantiated() {
        LockTemplate template = templates.getIfAvailable();
        if (template == null) {
            throw new LockSetupException(
                    "holdfast.fail-fast is true, but there is no LockTemplate.",
                    "Stop excluding the lock auto-configurations, or add a LockStore or LockTemplate bean.",
                    null);
        }
        try {
            ask(template);
        } catch (LockStoreException e) {
            throw new LockSetupException(
                    "holdfast.fail-fast is true, but the lock store is not available: " + e.getMessage(),
                    action(String.valueOf(e.getMessage())),
                    e);
        }
    }

    private static void ask(LockTemplate template) {
        for (int time = 1; ; time++) {
            try {
                template.inspect("fail-fast");
                return;
            } catch (LockStoreException e) {
                if (!e.outcomeUnknown() || time == MOST_TIMES) {
                    throw e;
                }
            }
        }
    }
}
