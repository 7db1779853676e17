package io.holdfast.lock.spring.aop;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Method;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.util.ClassUtils;
import org.springframework.validation.beanvalidation.MethodValidationInterceptor;

/**
 * Has the arguments of a {@code @Validated} bean checked before its lock is asked for: a call that cannot succeed neither waits
 * nor keeps others waiting, and its key is not evaluated, which might fail on the same arguments.
 *
 * <p>Spring puts its interceptor for constraints inside of all others, and there it stays, for it also checks results, before a
 * transaction commits. It is asked here once more, with a call that ends where the method would begin.
 */
final class ArgumentValidation {

    private static final boolean PRESENT =
            ClassUtils.isPresent("jakarta.validation.Validator", ArgumentValidation.class.getClassLoader());

    private ArgumentValidation() {}

    /**
     * Returns if the arguments are valid, or nobody inside of the lock would check them.
     *
     * @throws Throwable as the call itself would, if they are not
     */
    static void check(MethodInvocation invocation) throws Throwable {
        if (PRESENT && invocation instanceof ProxyMethodInvocation call && call.getProxy() instanceof Advised proxy) {
            boolean inside = false;
            for (Advisor each : proxy.getAdvisors()) {
                if (each instanceof LockAdvisor) {
                    inside = true;
                } else if (inside && each.getAdvice() instanceof MethodValidationInterceptor validation) {
                    check(validation, invocation);
                }
            }
        }
    }

    private static void check(MethodValidationInterceptor validation, MethodInvocation invocation) throws Throwable {
        try {
            validation.invoke(new ArgumentsOnly(invocation));
        } catch (Valid arguments) {
            // that is all there was to find out
        }
    }

    /** The arguments of a call were checked. */
    private static final class Valid extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @SuppressWarnings("StaticAssignmentOfThrowable") // without a stack trace
        private static final Valid INSTANCE = new Valid();

        private Valid() {
            super(null, null, false, false);
        }
    }

    /** The arguments are a copy, since the interceptor puts other ones in the place of publishers, to check what they emit. */
    private record ArgumentsOnly(MethodInvocation call) implements MethodInvocation {

        @Override
        public Object proceed() {
            throw Valid.INSTANCE;
        }

        @Override
        public Method getMethod() {
            return call.getMethod();
        }

        @Override
        public @Nullable Object[] getArguments() {
            return call.getArguments().clone();
        }

        @Override
        public @Nullable Object getThis() {
            return call.getThis();
        }

        @Override
        public AccessibleObject getStaticPart() {
            return call.getStaticPart();
        }
    }
}
