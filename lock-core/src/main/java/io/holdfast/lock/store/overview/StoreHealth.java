package io.holdfast.lock.store.overview;

import java.util.List;
import java.util.Map;

/** What a {@link io.holdfast.lock.store.LockStore store} reports for health checks. Every method may be called from any thread. */
public interface StoreHealth {

    /**
     * What each server does when its memory is full: {@code noeviction} keeps locks, all other policies may delete them. Takes up
     * to one command timeout for each server.
     *
     * @return policies by server, with an empty name for a single server; {@code unknown} if a server did not respond or does not report
     *     its policy; empty if there is no server
     */
    default Map<String, String> evictionPolicies() {
        return Map.of();
    }

    /**
     * The servers whose latest call failed, of a store on several servers that works as long as most of them do. Sends no
     * call.
     *
     * @return the message of the failure, without secrets, by server; empty if no call failed, or if there is only one server
     */
    default Map<String, String> failedServers() {
        return Map.of();
    }

    /**
     * What makes locks slower although they work, such as a permission that is missing. Takes up to one command timeout.
     *
     * @return messages that say what to do, without secrets; empty if nothing is known
     */
    default List<String> warnings() {
        return List.of();
    }
}
