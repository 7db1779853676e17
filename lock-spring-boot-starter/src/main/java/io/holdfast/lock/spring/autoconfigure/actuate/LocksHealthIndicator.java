package io.holdfast.lock.spring.autoconfigure.actuate;

import io.holdfast.lock.api.LocalLocks;
import io.holdfast.lock.api.LocalLocks.SubscriptionState;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Leader;
import io.holdfast.lock.store.LockStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * DOWN if the store, or a majority of the servers of a quorum, does not respond or rejects calls, or if held locks cannot be
 * renewed, since they will be lost. Conditions that only slow down waiting, or may endanger locks later, are warnings, and the
 * status stays UP: they are no reason to take an application out of service.
 */
final class LocksHealthIndicator extends AbstractHealthIndicator {

    /** The key of an unused lock, which each check inspects. */
    private static final String PROBE = "holdfast:health";

    private static final String NO_EVICTION = "noeviction";
    private static final String UNKNOWN = "unknown";

    private final BeanFactory beans;

    /** @param beans queried on each check, so that the indicator does not create lazy beans */
    LocksHealthIndicator(BeanFactory beans) {
        super("The lock health check failed");
        this.beans = beans;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        ObjectProvider<LockStore> store = beans.getBeanProvider(LockStore.class);
        store.ifUnique(each -> builder.withDetail("store", each.toString()));
        leadership(builder);
        try {
            beans.getBean(LockTemplate.class).inspect(PROBE);
        } catch (LockStoreException e) {
            builder.down(e).withDetail("storeStatus", "unavailable");
            return;
        }
        builder.up().withDetail("storeStatus", "responds");
        List<String> warnings = new ArrayList<>();
        beans.getBeanProvider(LocalLocks.class).ifUnique(each -> describe(each, builder, warnings));
        store.ifUnique(each -> describe(each, builder, warnings));
        if (!warnings.isEmpty()) {
            builder.withDetail("warnings", warnings);
        }
    }

    private void leadership(Health.Builder builder) {
        Map<String, Object> leadership = new LinkedHashMap<>();
        for (Leader each : LocksDescriptors.leaders(beans, false)) {
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("candidate", each.candidate());
            details.put("leader", each.leader());
            if (each.fencingToken() != null) {
                details.put("fencingToken", each.fencingToken());
            }
            leadership.put(each.role(), details);
        }
        if (!leadership.isEmpty()) {
            builder.withDetail("leadership", leadership);
        }
    }

    private static void describe(LocalLocks local, Health.Builder builder, List<String> warnings) {
        int late = local.lateRenewals();
        builder.status(late > 0 ? Status.DOWN : Status.UP).withDetail("lateRenewals", late);
        SubscriptionState state = local.subscriptionState();
        builder.withDetail("subscription", state.name().toLowerCase(Locale.ROOT));
        if (state == SubscriptionState.DISCONNECTED) {
            warnings.add("Wakeup subscription is down: waiting threads poll every 100 ms");
        }
    }

    private static void describe(LockStore store, Health.Builder builder, List<String> warnings) {
        new TreeMap<>(store.failedServers())
                .forEach((server, failure) -> warnings.add("Lock server " + server
                        + " failed; locks work as long as a majority of the servers responds: " + failure));
        warnings.addAll(store.warnings());
        Map<String, String> policies = new TreeMap<>(store.evictionPolicies());
        if (!policies.isEmpty()) {
            String single = policies.get("");
            builder.withDetail("evictionPolicy", policies.size() == 1 && single != null ? single : policies);
        }
        policies.forEach((server, policy) -> {
            if (!policy.equals(NO_EVICTION) && !policy.equals(UNKNOWN)) {
                warnings.add("The eviction policy" + (server.isEmpty() ? "" : " of " + server) + " is " + policy
                        + ": Redis may evict held locks when it runs out of memory. Set maxmemory-policy to "
                        + NO_EVICTION);
            }
        });
    }
}
