package io.holdfast.lock.spring.autoconfigure.actuate;

import io.holdfast.lock.api.LockKeyException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Problem;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;
import org.springframework.util.MimeType;

/** Adapts the endpoint to HTTP: the response may depend on the user, and failures are mapped to status codes. */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
record LocksEndpointWebExtension(
        LocksEndpoint endpoint, LocksEndpointProperties properties, LocksReport report, Supplier<String> page) {

    private static final MimeType HTML = new MimeType("text", "html", StandardCharsets.UTF_8);
    private static final int FORBIDDEN = 403;
    private static final int NOT_IMPLEMENTED = 501;

    /**
     * For browsers, which request HTML explicitly. A client that accepts anything gets JSON: on Jersey because of the low {@code
     * q} value.
     */
    @ReadOperation(produces = "text/html;qs=0.1")
    WebEndpointResponse<String> html() {
        return new WebEndpointResponse<>(page.get(), HTML);
    }

    /** Without a scope, the locks of this instance. */
    @ReadOperation
    WebEndpointResponse<OperationResponseBody> locks(
            SecurityContext securityContext,
            @Nullable String scope,
            @Nullable String name,
            @Nullable String key,
            @Nullable String client,
            @Nullable Duration minAge,
            @Nullable Integer page,
            @Nullable Integer size) {
        boolean withKeys = properties.showKeys().isShown(securityContext, properties.roles());
        if (scope == null) {
            return new WebEndpointResponse<>(endpoint.locks(withKeys));
        }
        if (!withKeys && key != null && !key.isEmpty()) {
            return new WebEndpointResponse<>(
                    new Problem("Keys are hidden (management.endpoint.locks.show-keys), so they cannot be searched"),
                    FORBIDDEN);
        }
        return answer(() -> {
            if (scope.equals("jobs")) {
                return endpoint.jobs(withData(securityContext));
            } else if (!scope.equals("all")) {
                throw new IllegalArgumentException(
                        "scope must be 'all' or 'jobs'; omit it to list the locks of this instance");
            }
            return report.show(new LocksReport.Query(name, key, client, minAge, page, size), withKeys);
        });
    }

    @ReadOperation
    WebEndpointResponse<OperationResponseBody> lock(
            SecurityContext securityContext,
            @Selector(match = Match.ALL_REMAINING) String[] key,
            @Nullable String exactKey) {
        return answer(() -> endpoint.lock(key, exactKey, withData(securityContext)));
    }

    private boolean withData(SecurityContext securityContext) {
        return properties.showData().isShown(securityContext, properties.roles());
    }

    @WriteOperation
    WebEndpointResponse<OperationResponseBody> pause(SecurityContext securityContext, String job, boolean paused) {
        return answer(() -> endpoint.pause(job, paused, withData(securityContext)));
    }

    @DeleteOperation
    WebEndpointResponse<OperationResponseBody> forceRelease(
            @Selector(match = Match.ALL_REMAINING) String[] key, @Nullable String exactKey) {
        return answer(() -> endpoint.forceRelease(key, exactKey));
    }

    private static WebEndpointResponse<OperationResponseBody> answer(Supplier<OperationResponseBody> operation) {
        try {
            return new WebEndpointResponse<>(operation.get());
        } catch (UnsupportedOperationException e) {
            return problem(e, NOT_IMPLEMENTED);
        } catch (LockKeyException | IllegalArgumentException e) {
            return problem(e, WebEndpointResponse.STATUS_BAD_REQUEST);
        } catch (LockStoreException e) {
            return problem(e, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        } catch (IllegalStateException e) { // the data of a job cannot be read
            return problem(e, WebEndpointResponse.STATUS_INTERNAL_SERVER_ERROR);
        }
    }

    private static WebEndpointResponse<OperationResponseBody> problem(Exception e, int status) {
        return new WebEndpointResponse<>(new Problem(String.valueOf(e.getMessage())), status);
    }
}
