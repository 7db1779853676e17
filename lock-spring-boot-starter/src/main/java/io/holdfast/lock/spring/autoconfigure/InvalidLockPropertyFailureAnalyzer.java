package io.holdfast.lock.spring.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.annotation.Order;

@Order(0)
final class InvalidLockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockPropertyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockPropertyException cause) {
        return new FailureAnalysis(cause.problem(), cause.action(), cause);
    }
}
