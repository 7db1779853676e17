package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.annotation.LockRequestCustomizer;
import io.holdfast.lock.spring.annotation.OnLost;
import io.holdfast.lock.spring.definition.BareKeys;
import io.holdfast.lock.spring.definition.ConfiguredSettings;
import io.holdfast.lock.spring.definition.LockDefinition;
import io.holdfast.lock.spring.definition.LockDefinitions;
import io.holdfast.lock.spring.result.ResultKind;
import io.holdfast.lock.spring.transaction.CallerTransactions;
import java.io.Serial;
import java.util.List;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * Makes Spring run methods with {@link io.holdfast.lock.spring.annotation.DistributedLock} under their lock. Needs a
 * proxy creator, which the starter's configuration registers.
 */
public final class LockAdvisor extends AbstractPointcutAdvisor implements DisposableBean {

    @Serial
    private static final long serialVersionUID = 1L;

    private static final String MISSING = "There is no LockTemplate: the application or the test slice excludes the"
            + " lock auto-configuration or Spring Data Redis. ";

    private static final ProxyRules.Words WORDS = new ProxyRules.Words(
            DistributedLock.class,
            "cannot be locked",
            "Locks are applied by a proxy of the bean.",
            "run without its lock",
            "LockTemplate");

    private final transient ProxyRules rules;
    private final transient AnnotatedPointcut<LockDefinition> pointcut;
    private final transient LockDefinitions definitions;
    private final transient Supplier<ConfiguredSettings> configured;
    private final transient ConfigurableBeanFactory beans;
    private final transient ObjectProvider<LockTemplate> templates;
    private final transient ObjectProvider<LockRequestCustomizer> customizers;
    private final transient Supplier<CallerTransactions> transactions;
    private transient @Nullable LockInterceptor interceptor;

    /**
     * Creates an instance.
     *
     * @param beans resolves placeholders and {@code @bean} references
     * @param templates yields the application's template; asked at the first call of a locked method
     * @param customizers have the last word on requests; asked for at the first call of a locked method
     * @param configured yields what the properties say; asked when all beans are there, or at the first call
     * @param order the place among other advisors; lower is further outside
     */
    public LockAdvisor(
            ConfigurableBeanFactory beans,
            ObjectProvider<LockTemplate> templates,
            ObjectProvider<LockRequestCustomizer> customizers,
            Supplier<ConfiguredSettings> configured,
            int order) {
        this.configured = configured;
        this.beans = beans;
        this.templates = templates;
        this.definitions = new LockDefinitions(beans, configured);
        this.rules = new ProxyRules(beans, WORDS);
        this.pointcut = new AnnotatedPointcut<>(definitions, rules);
        this.customizers = customizers;
        this.transactions = transactions(beans);
        setOrder(order);
    }

    /** Asked at the first call, like the template. */
    private static Supplier<CallerTransactions> transactions(ConfigurableBeanFactory beans) {
        ObjectProvider<CallerTransactions> found = beans.getBeanProvider(CallerTransactions.class);
        return SingletonSupplier.of(() -> found.getIfAvailable(() -> CallerTransactions.NONE));
    }

    ProxyRules rules() {
        return rules;
    }

    private static LockTemplate required(ObjectProvider<LockTemplate> templates, ConfigurableBeanFactory beans) {
        LockTemplate template = templates.getIfAvailable();
        if (template == null) {
            throw new LockStoreException(MISSING + adviceIfMissing(beans), null, false);
        }
        return template;
    }

    private static String adviceIfMissing(ConfigurableBeanFactory beans) {
        return isPartForTest(beans)
                ? "Add @AutoConfigureTestLocks (from lock-spring-boot-test) to the test, or a LockStore or"
                        + " LockTemplate bean."
                : "Stop excluding them, set holdfast.store=in-memory, add a LockStore or LockTemplate bean, or, in a"
                        + " test, add @AutoConfigureTestLocks (from lock-spring-boot-test).";
    }

    /**
     * There must be one template, or a primary one. A test of a part of an application may have none, as long as it calls no
     * locked method.
     */
    void requireTemplateFor(LockDefinition definition) {
        requireTemplateFor(LockDefinition.describe(
                        definition.method(), definition.method().getDeclaringClass()) + " could not be locked");
    }

    /**
     * There must be one template, or a primary one, unless this is a test of a part of an application.
     *
     * @param problem what would be wrong without, as the beginning of a sentence
     * @throws LockDefinitionException if there is none, or none that is primary
     */
    public void requireTemplateFor(String problem) {
        try {
            if (!hasTemplate() && !isPartForTest(beans)) {
                throw new LockDefinitionException(problem + ". " + MISSING, adviceIfMissing(beans));
            }
        } catch (NoUniqueBeanDefinitionException e) {
            throw new LockDefinitionException(
                    problem + ": there are several LockTemplate beans: " + e.getBeanNamesFound() + ".",
                    "Mark one of them as @Primary, or remove the others.",
                    e);
        }
    }

    /** Creates none, unless there are several. */
    private boolean hasTemplate() {
        String[] names = beans instanceof ListableBeanFactory listable
                ? BeanFactoryUtils.beanNamesForTypeIncludingAncestors(listable, LockTemplate.class, true, false)
                : new String[0];
        return names.length == 1 || templates.getIfAvailable() != null;
    }

    /** Boot's annotations for such tests switch auto-configuration off, but for their part of it. */
    private static boolean isPartForTest(ConfigurableBeanFactory beans) {
        Environment environment = beans.getBeanProvider(Environment.class).getIfUnique();
        return environment != null
                && !environment.getProperty(EnableAutoConfiguration.ENABLED_OVERRIDE_PROPERTY, Boolean.class, true);
    }

    /**
     * A loss that is only logged cannot be beside a transaction, which is not committed under a lost lock. Work that goes on when
     * its method has returned may lose the lock after the commit.
     *
     * @throws LockDefinitionException if one is
     */
    void requireThatLossesMayBeLogged(Class<?> type, List<LockDefinition> found) {
        for (LockDefinition each : found) {
            if (each.onLost() == OnLost.LOG
                    && each.result() == ResultKind.VALUE
                    && transactions.get().isTransactional(each.method(), type)) {
                throw new LockDefinitionException(
                        LockDefinition.describe(each.method(), type) + " has onLost = LOG, but the method runs in a"
                                + " transaction that is rolled back if the lock is lost, so its result is discarded.",
                        "Remove onLost = LOG, or move the work that can safely run twice out of the transaction.");
            }
        }
    }

    /** Calls may come later still, from beans that are destroyed after this one. */
    @Override
    public synchronized void destroy() {
        if (interceptor != null) {
            interceptor.close();
        }
    }

    @Override
    public AnnotatedPointcut<LockDefinition> getPointcut() {
        return pointcut;
    }

    /** Made for the first proxy: an application without locked methods does not load it. */
    @Override
    public synchronized Advice getAdvice() {
        if (interceptor == null) {
            interceptor = new LockInterceptor(
                    definitions,
                    new LockRequests(() -> customizers.orderedStream().toList()),
                    SingletonSupplier.of(() -> required(templates, beans)),
                    transactions);
        }
        return interceptor;
    }

    /**
     * The definitions of all methods that calls of this class can reach, each once: also if a call may name the method of the
     * class, that of an interface, or the bridge between both.
     *
     * @param type the class of a bean
     * @return none if nothing of it is locked
     * @throws io.holdfast.lock.spring.annotation.LockDefinitionException if one cannot work
     */
    public List<LockDefinition> definitionsOf(Class<?> type) {
        return pointcut.allOf(type);
    }

    void warnOfUncovered(Class<?> type) {
        pointcut.warnOfUncovered(type);
    }

    /** Warns of what may be meant otherwise than it works. */
    void warnOf(List<LockDefinition> found) {
        if (!found.isEmpty()) {
            BareKeys.warnOf(found);
        }
        configured.get().warnOfUnused(found);
        found.forEach(this::requireShape);
    }

    /** The properties may not fit the annotation. Customizers may change what both request. */
    private void requireShape(LockDefinition definition) {
        boolean fair = definition.shape().get().fair()
                || definition.further().stream().anyMatch(each -> each.shape().fair());
        if (fair && configured.get().quorum() && customizers.stream().findAny().isEmpty()) {
            throw new LockDefinitionException(
                    LockDefinition.describe(
                                    definition.method(), definition.method().getDeclaringClass())
                            + " requests a fair lock, but locks are kept in the quorum of holdfast.quorum.nodes, which"
                            + " does not support fair locks, because its servers cannot share a queue.",
                    "Set fair to false, in the annotation, holdfast.instances." + definition.name()
                            + " and holdfast.scheduled, or keep locks on one server or in a cluster.");
        }
    }
}
