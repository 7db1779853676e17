package io.holdfast.lock.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

@Order(0)
final class LockSetupFailureAnalyzer extends AbstractFailureAnalyzer<LockSetupException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LockSetupException cause) {
        return new FailureAnalysis(cause.problem(), cause.action(), cause);
    }
}
