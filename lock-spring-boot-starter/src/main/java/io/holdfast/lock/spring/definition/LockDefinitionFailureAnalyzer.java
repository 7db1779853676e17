package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.LockDefinitionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

@Order(0)
final class LockDefinitionFailureAnalyzer extends AbstractFailureAnalyzer<LockDefinitionException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LockDefinitionException cause) {
        return new FailureAnalysis(cause.problem(), cause.action(), cause);
    }
}
