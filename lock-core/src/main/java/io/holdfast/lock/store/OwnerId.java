package io.holdfast.lock.store;

/**
 * Identifies one acquisition of one client. All attempts of an acquisition use the same id; the next acquisition has a different one.
 *
 * @param clientId the client, globally unique; without a colon
 * @param sequence the acquisition, unique within the client
 */
public record OwnerId(String clientId, long sequence) {

    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if the client id is empty or contains a colon
     */
    public OwnerId {
        if (clientId.isEmpty() || clientId.indexOf(':') >= 0) {
            throw new IllegalArgumentException("Invalid client id: '" + clientId + "'");
        }
    }

    @Override
    public String toString() {
        return clientId + ':' + sequence;
    }
}
