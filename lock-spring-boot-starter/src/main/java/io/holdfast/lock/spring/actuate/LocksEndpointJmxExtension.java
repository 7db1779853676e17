package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.spring.actuate.LocksDescriptors.Overview;
import java.time.Duration;
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
            @Nullable Duration minAge,
            @Nullable Integer page,
            @Nullable Integer size) {
        return allLocks.show(new AllLocks.Query(name, null, holder, minAge, page, size), withKeys);
    }
}
