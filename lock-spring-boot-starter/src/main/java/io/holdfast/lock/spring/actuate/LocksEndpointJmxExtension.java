package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.spring.actuate.OverviewDescriptors.Overview;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.jmx.annotation.EndpointJmxExtension;

/** All locks over JMX, which tells operations apart by their names. */
@EndpointJmxExtension(endpoint = LocksEndpoint.class)
final class LocksEndpointJmxExtension {

    private final boolean withKeys;
    private final AllLocks allLocks;

    LocksEndpointJmxExtension(boolean withKeys, AllLocks allLocks) {
        this.withKeys = withKeys;
        this.allLocks = allLocks;
    }

    @ReadOperation
    Overview allLocks(
            @Nullable String name,
            @Nullable String holder,
            @Nullable String minAge,
            @Nullable String page,
            @Nullable String size) {
        return allLocks.show(OverviewQuery.of(name, null, holder, minAge, page, size), withKeys);
    }
}
