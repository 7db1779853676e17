package io.holdfast.lock.spring.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.OnPropertyListCondition;

/** Whether several servers keep locks together, in whatever way a list may be written. */
final class OnQuorum extends OnPropertyListCondition {

    OnQuorum() {
        super("holdfast.quorum.nodes", () -> ConditionMessage.forCondition("Quorum"));
    }
}
