package io.holdfast.lock.spring.leader;

import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.aop.AnnotatedTypes;
import io.holdfast.lock.spring.aop.ProxyRules;
import java.io.Serial;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Has methods with {@link LeaderOnly} run on the leader only. A method for which that cannot work causes startup to fail. */
public final class LeaderAdvisor extends AbstractPointcutAdvisor {

    @Serial
    private static final long serialVersionUID = 1L;

    private static final ProxyRules.Words WORDS = new ProxyRules.Words(
            LeaderOnly.class,
            "cannot be restricted to the leader",
            "A proxy of the bean checks whether this instance is the leader.",
            "Leadership");

    private final transient GuardedMethods methods;
    private final transient ProxyRules rules;
    private final transient GuardedPointcut pointcut = new GuardedPointcut();
    private final transient Advice advice;

    /**
     * Creates an instance.
     *
     * @param beans resolves placeholders, and knows how proxies are made
     * @param roles asked at the first call
     * @param order the place among other advisors; lower is further outside
     */
    public LeaderAdvisor(ConfigurableBeanFactory beans, Supplier<LeaderRoles> roles, int order) {
        this.methods = new GuardedMethods(beans);
        this.rules = new ProxyRules(beans, WORDS);
        this.advice = new LeaderInterceptor(methods, roles);
        setOrder(order);
    }

    /** Matches annotated methods. Ahead of time, placeholders need not have values: the start finds the error then. */
    private final class GuardedPointcut extends StaticMethodMatcherPointcut {

        GuardedPointcut() {
            setClassFilter(new AnnotatedTypes(LeaderOnly.class));
        }

        @Override
        public boolean matches(Method method, Class<?> targetClass) {
            try {
                GuardedMethod guarded = methods.find(method, targetClass);
                if (guarded != null) {
                    rules.check(guarded.method(), targetClass);
                }
                return guarded != null;
            } catch (LockDefinitionException e) {
                if (Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
                    return true;
                }
                throw e;
            }
        }
    }

    @Override
    public Pointcut getPointcut() {
        return pointcut;
    }

    @Override
    public Advice getAdvice() {
        return advice;
    }

    /** The annotated methods that calls of this class can reach, each once. */
    List<GuardedMethod> guardedBy(Class<?> type) {
        if (!pointcut.getClassFilter().matches(type)) {
            return List.of();
        }
        Map<Method, GuardedMethod> found = new LinkedHashMap<>();
        for (Method each : methodsOf(type)) {
            GuardedMethod guarded = pointcut.matches(each, type) ? methods.find(each, type) : null;
            if (guarded != null) {
                found.putIfAbsent(guarded.method(), guarded);
            }
        }
        return List.copyOf(found.values());
    }

    private static List<Method> methodsOf(Class<?> type) {
        Set<Class<?>> types = new LinkedHashSet<>(Set.of(ClassUtils.getUserClass(type)));
        types.addAll(ClassUtils.getAllInterfacesForClassAsSet(type));
        List<Method> all = new ArrayList<>();
        types.forEach(each -> all.addAll(List.of(ReflectionUtils.getAllDeclaredMethods(each))));
        return all;
    }

    void checkProxy(Object bean, List<GuardedMethod> found) {
        rules.checkProxy(bean, found.stream().map(GuardedMethod::method).toList());
    }
}
