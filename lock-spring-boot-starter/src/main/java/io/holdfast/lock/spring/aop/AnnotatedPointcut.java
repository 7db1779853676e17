package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.definition.LockDefinition;
import io.holdfast.lock.spring.definition.LockDefinitions;
import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.context.aot.AbstractAotProcessor;

/**
 * Matches methods that have a definition. A definition that cannot work is an error already here, so a bean with one is
 * never built, let alone without its lock.
 *
 * <p>Only a build ahead of time goes on: placeholders need not have the values there that they have when the application
 * runs. It makes the proxy in any case, and the start of the application finds the error.
 */
final class LockPointcut extends StaticMethodMatcherPointcut {

    private final LockDefinitions definitions;
    private final ProxyRules rules;

    LockPointcut(LockDefinitions definitions, ProxyRules rules) {
        this.definitions = definitions;
        this.rules = rules;
        setClassFilter(new AnnotatedTypes(DistributedLock.class));
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        try {
            return isLocked(method, targetClass);
        } catch (LockDefinitionException e) {
            if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
                return true;
            }
            throw e;
        }
    }

    private boolean isLocked(Method method, Class<?> targetClass) {
        LockDefinition definition = definitions.find(method, targetClass);
        if (definition == null) {
            return false;
        }
        rules.check(definition.method(), targetClass);
        return true;
    }
}
