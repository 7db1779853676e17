package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.definition.AnnotatedMethods;
import io.holdfast.lock.spring.definition.LockOperation;
import io.holdfast.lock.spring.definition.LockOperationSource;
import io.holdfast.lock.spring.transaction.CallerTransactions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.SmartInstantiationAwareBeanPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.AsyncAnnotationAdvisor;

/**
 * Checks all beans after the singletons have been created, and fails startup if one has locked methods that would run without
 * the lock: it has no proxy, its annotation cannot work, or transactions would begin before the lock. Other {@link ProxiedBean.Check
 * checks} take part in the same pass.
 *
 * <p>Creates no bean: for beans that do not exist yet, it examines the type. Not a record: Spring compares post-processors, and the first
 * comparison of records loads some twenty classes.
 */
public final class LockStartupCheck implements SmartInitializingSingleton, SmartInstantiationAwareBeanPostProcessor {

    private static final String MISSING = "There is no LockTemplate: the application or the test slice excludes the"
            + " lock auto-configuration or Spring Data Redis.";

    private final ConfigurableListableBeanFactory beans;
    private final LockOperationSource operations;
    private final LockAdvisor advisor;
    private final boolean configured;

    /**
     * Creates an instance.
     *
     * @param beans the beans to check
     * @param operations finds locked methods
     * @param advisor must be part of each proxy of a bean with locked methods
     * @param configured whether any properties of locks are set; they are checked even without locked methods
     */
    public LockStartupCheck(
            ConfigurableListableBeanFactory beans,
            LockOperationSource operations,
            LockAdvisor advisor,
            boolean configured) {
        this.beans = beans;
        this.operations = operations;
        this.advisor = advisor;
        this.configured = configured;
    }

    @Override
    public void afterSingletonsInstantiated() {
        List<LockOperation> found = new ArrayList<>();
        Collection<ProxiedBean.Check> others = // of this context: those of its parent have their own
                beans.getBeansOfType(ProxiedBean.Check.class, false, false).values();
        ProxiedBean.all(beans).forEach(bean -> {
            List<LockOperation> locked = check(bean);
            found.addAll(locked);
            others.forEach(each -> each.check(bean));
            for (LockOperation each : locked) {
                if (each.isJob()) { // else loads no lambda
                    JobCalls.in(beans).ifPresent(jobs -> jobs.check(each, bean.instance()));
                }
            }
        });
        if (!found.isEmpty()) {
            beans.getBeanProvider(CallerTransactions.class)
                    .ifAvailable(transactions -> transactions.requireInside(advisor.getOrder()));
            for (String template : requireTemplate(beans, found.get(0).where() + " could not be locked")) {
                beans.registerDependentBean(template, LockAdvisor.INTERCEPTOR);
            }
            var unused = advisor.getAdvice(); // created now: the first call may come while beans are being destroyed
        }
        if (configured || !found.isEmpty()) {
            operations.checkProperties(found);
        }
    }

    /** Called only for beans in a circular reference, after the proxy creator. */
    @Override
    public Object getEarlyBeanReference(Object bean, String name) {
        ProxiedBean.advisorsOf(bean).forEach(each -> {
            if (each instanceof PointcutAdvisor known
                    && known.getPointcut() instanceof AnnotatedMethods<?, ?> methods) {
                methods.requireInitialized(AopUtils.getTargetClass(bean));
            }
        });
        return bean;
    }

    private List<LockOperation> check(ProxiedBean bean) {
        List<LockOperation> found = operations.allOf(bean.type());
        if (found.isEmpty()) {
            return found;
        }
        if (!beans.containsBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)) {
            throw new LockConfigurationException(
                    found.get(0).where()
                            + " would run without its lock: spring.aop.auto is false, so beans have no proxies.",
                    "Remove spring.aop.auto=false, or use LockTemplate inside the method.");
        }
        if (bean.instance() != null) {
            bean.requireAdvisor(
                    beans,
                    LockAdvisor.class,
                    found.get(0).where() + " would run without its lock",
                    "use LockTemplate inside the method. If it is a test double, replace the bean with @MockitoBean or"
                            + " @TestBean.");
            found.forEach(operation -> requireOutsideAsync(operation, bean));
            // The proxy looks both up itself, so the dependencies must be registered: until it is destroyed, the bean
            // needs the interceptor, and the interceptor needs the template.
            beans.registerDependentBean(LockAdvisor.INTERCEPTOR, bean.name());
        }
        return found;
    }

    private static void requireOutsideAsync(LockOperation operation, ProxiedBean bean) {
        boolean isInside = ProxiedBean.advisorsOf(bean.instance())
                .dropWhile(each -> !(each instanceof LockAdvisor))
                .anyMatch(each -> each instanceof AsyncAnnotationAdvisor async
                        && async.getPointcut().getMethodMatcher().matches(operation.method(), bean.type()));
        if (isInside) {
            throw new LockConfigurationException(
                    operation.where() + " would run outside its lock: @Async starts it on a thread without the lock.",
                    "Remove the order of @EnableAsync, so that the asynchronous thread acquires the lock.");
        }
    }

    /**
     * There must be one template, or a primary one. A test of part of an application may have none, as long as it calls no locked
     * method. Creates no template, unless there are several.
     *
     * @param beans contains the template
     * @param problem what would be wrong without it, as the beginning of a sentence
     * @return the names of all templates
     * @throws LockConfigurationException if there is no template, or there are several and none is primary
     */
    public static String[] requireTemplate(ConfigurableListableBeanFactory beans, String problem) {
        try {
            String[] names =
                    BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, LockTemplate.class, true, false);
            if (names.length == 0 && !isPartForTest(beans)) {
                throw new LockConfigurationException(problem + ". " + MISSING, advice(beans));
            } else if (names.length > 1) {
                beans.getBeanProvider(LockTemplate.class).getIfAvailable();
            }
            return names;
        } catch (NoUniqueBeanDefinitionException e) {
            throw new LockConfigurationException(
                    problem + ": there are several LockTemplate beans: " + e.getBeanNamesFound() + ".",
                    "Mark one of them as @Primary, or remove the others.",
                    e);
        }
    }

    /**
     * {@return the template} Its absence is no failure of the store: a fallback for those must not hide that nothing is locked.
     *
     * @param beans contains the template
     * @throws LockConfigurationException if there is none
     */
    public static LockTemplate template(BeanFactory beans) {
        return beans.getBeanProvider(LockTemplate.class).getIfAvailable(() -> {
            throw new LockConfigurationException(MISSING, advice(beans));
        });
    }

    private static String advice(BeanFactory beans) {
        return isPartForTest(beans)
                ? "Add @AutoConfigureTestLocks (from lock-spring-boot-test) to the test, or a LockStore or"
                        + " LockTemplate bean."
                : "Stop excluding them, set holdfast.store=in-memory, add a LockStore or LockTemplate bean, or, in a"
                        + " test, add @AutoConfigureTestLocks (from lock-spring-boot-test).";
    }

    /** Spring Boot's annotations for test slices disable auto-configuration, except for the part under test. */
    private static boolean isPartForTest(BeanFactory beans) {
        Environment environment = beans.getBeanProvider(Environment.class).getIfUnique();
        return environment != null
                && !environment.getProperty(EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY, Boolean.class, true);
    }
}
