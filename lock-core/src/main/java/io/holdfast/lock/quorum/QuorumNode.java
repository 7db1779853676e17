package io.holdfast.lock.quorum;

import io.holdfast.lock.store.LockStore;

/**
 * One of the servers of a quorum.
 *
 * @param name for messages, such as host and port; without secrets
 * @param store the locks on that server alone; it must not share them with another node. Its command timeout should be much
 *     shorter than the leases
 */
public record QuorumNode(String name, LockStore store) {

    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException if it is blank
     */
    public QuorumNode {
        if (name.isBlank()) {
            throw new IllegalArgumentException("A node needs a name, for example its host and port");
        }
    }
}
