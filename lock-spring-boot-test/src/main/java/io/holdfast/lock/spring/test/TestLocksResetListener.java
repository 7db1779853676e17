package io.holdfast.lock.spring.test;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.support.AbstractTestExecutionListener;

/**
 * Calls {@link TestLocks#reset()} after each test method, if there is such a bean. Runs after the rollback of a test's own
 * transaction (listeners are called in reverse order after a method), since a lock may be kept until then.
 */
final class TestLocksResetListener extends AbstractTestExecutionListener {

    /** Between DirtiesContextTestExecutionListener, 3000, and TransactionalTestExecutionListener, 4000. */
    private static final int ORDER = 3500;

    @Override
    public int getOrder() {
        return ORDER;
    }

    @Override
    public void afterTestMethod(TestContext test) {
        if (test.hasApplicationContext()
                && test.getApplicationContext() instanceof ConfigurableApplicationContext context
                && context.isActive()) {
            context.getBeanProvider(TestLocks.class).ifAvailable(TestLocks::reset);
        }
    }
}
