package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Locks;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Problem;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** What is different over HTTP: who asks may decide what is shown, and a failure has a status. */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
final class LocksEndpointWebExtension {

    private final LocksEndpoint endpoint;
    private final LocksEndpointProperties properties;

    LocksEndpointWebExtension(LocksEndpoint endpoint, LocksEndpointProperties properties) {
        this.endpoint = endpoint;
        this.properties = properties;
    }

    @ReadOperation
    Locks locks(SecurityContext securityContext) {
        return endpoint.locks(properties.showKeys().isShown(securityContext, properties.roles()));
    }

    @ReadOperation
    WebEndpointResponse<OperationResponseBody> lock(
            @Selector(match = Match.ALL_REMAINING) String[] key, @Nullable String exactKey) {
        return answer(() -> endpoint.lock(key, exactKey));
    }

    @DeleteOperation
    WebEndpointResponse<OperationResponseBody> forceRelease(
            @Selector(match = Match.ALL_REMAINING) String[] key, @Nullable String exactKey) {
        return answer(() -> endpoint.forceRelease(key, exactKey));
    }

    private static WebEndpointResponse<OperationResponseBody> answer(Supplier<OperationResponseBody> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (LockKeyException e) {
            return problem(e, WebEndpointResponse.STATUS_BAD_REQUEST);
        } catch (LockStoreException e) {
            return problem(e, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
    }

    private static WebEndpointResponse<OperationResponseBody> problem(Exception e, int status) {
        return new WebEndpointResponse<>(new Problem(String.valueOf(e.getMessage())), status);
    }
}
