package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Answers.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedSemaphore;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.annotation.LockConnectionFactory;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.aop.overridden.OtherPackage;
import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails.Cluster;
import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails.Sentinel;
import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails.Standalone;
import io.holdfast.lock.store.LockStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.annotation.AnnotationDescription;
import net.bytebuddy.description.modifier.Visibility;
import net.bytebuddy.implementation.StubMethod;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.repository.CrudRepository;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import reactor.core.publisher.Mono;

/**
 * Every message that a starting application may show, with its whole text: failures as Spring Boot prints them, and lines at INFO
 * and WARN. The texts are in {@code startup-messages.txt}; one case each produces it with a small application.
 *
 * <p>If you change a message on purpose, copy {@code target/startup-messages.txt} to the test resources, and read the difference.
 * A message that has no case fails {@link #every_message_in_the_code_has_a_case}.
 */
class StartupMessagesTest {

    private static final Path EXPECTED = Path.of("src/test/resources/io/holdfast/lock/spring/startup-messages.txt");
    /** The packages with messages at startup. */
    private static final Set<String> STARTUP =
            Set.of("aop", "autoconfigure", "definition", "fence", "key", "leader", "result", "transaction");

    private static final Pattern LITERAL =
            Pattern.compile("\"(?:[^\"\\\\\n]|\\\\.)*\"(?:\\s*\\+\\s*\"(?:[^\"\\\\\n]|\\\\.)*\")*");

    private static final int ENOUGH_LETTERS = 12;

    /** Sources whose messages are those of calls, or of the shutdown. */
    private static final Set<String> OF_CALLS = Set.of(
            "FenceTable.java",
            "LockInterceptor.java",
            "LockKeys.java",
            "LockProblemDetails.java",
            "LockShutdown.java",
            "LockedCall.java",
            "PublisherLock.java",
            "TransactionLocks.java");

    /** The beginnings of other texts: of calls, not for people, or shown with another class path only. */
    private static final List<String> NOT_HERE = List.of(
            "AnnotatedMethods.java: was not called, because there is no @",
            "AnnotatedMethods.java: . Put the annotation on that class.",
            "JoinedTransactions.java: acquires lock '",
            "JoinedTransactions.java: , which is already running",
            "JoinedTransactions.java: . Data that the transaction has already read may be stale.",
            "JoinedTransactions.java: , and releases it before the commit",
            "JoinedTransactions.java: a transaction",
            "JoinedTransactions.java: transaction '",
            "JoinedTransactions.java: ' was acquired and released inside",
            "JoinedTransactions.java: , before the commit",
            "LeaderRoles.java: The leader election is closed", // to calls after the end
            "LockExpression.java: is null",
            "LockExpression.java: Inside ![…], write #root.parts(…).",
            "LockExpression.java: the expression evaluates to",
            "LockExpression.java: , but must evaluate to true or false.",
            "LockExpression.java: the expression cannot be evaluated:",
            "LockStartupCheck.java: Add @AutoConfigureTestLocks", // of calls in a test slice: FallbackTest
            "MissingBeanFailureAnalyzer.java: The application", // without an injection point
            "ResultKind.java: is a suspend function that returns a", // RefusedFunctionsTest of lock-kotlin
            "ResultKind.java: , which is not supported: the lock would be held until the function returns",
            "ResultKind.java: Remove suspend, or return the value itself.",
            "ResultKind.java: , which can only be locked with Reactor on the classpath.", // WithoutReactorTest
            "ResultKind.java: Add io.projectreactor:reactor-core to the application.",
            "ResultKind.java: is locked, but returned a",
            "ResultKind.java: that its return type does not declare",
            "StoreCheck.java: Stack trace of the failure", // at DEBUG
            "TransactionFence.java: Old guard rows could not be deleted",
            "TransactionFence.java: ', and are deleted later");

    private static final Path ACTUAL = Path.of("target/startup-messages.txt");

    static class UnsetProperty {
        @DistributedLock(name = "${not.there}")
        public void run() {}
    }

    static class PrivateMethod {
        @SuppressWarnings("UnusedMethod")
        @DistributedLock(name = "x")
        private void run() {}
    }

    @kotlin.Metadata
    static class PrivateFunction {
        @SuppressWarnings("UnusedMethod")
        @DistributedLock(name = "x")
        private void run() {}
    }

    static class StaticMethod {
        @DistributedLock(name = "x")
        public static void run() {}
    }

    static class FinalMethod {
        @DistributedLock(name = "x")
        public final void run() {}
    }

    @kotlin.Metadata
    static class FinalFunction {
        @DistributedLock(name = "x")
        public final void run() {}
    }

    static final class FinalClass {
        @DistributedLock(name = "x")
        public void run() {}
    }

    static final class FinalTask implements Runnable {
        @Override
        @DistributedLock(name = "x")
        public void run() {}
    }

    static class OfOtherPackage extends OtherPackage {}

    static class Callback {
        @jakarta.annotation.PostConstruct
        @DistributedLock(name = "x")
        public void run() {}
    }

    @DistributedLock(name = "x")
    static class NothingPublic {
        void run() {}
    }

    static class NumberAndText {
        @DistributedLock(name = "x", lease = 1, leaseString = "1s")
        public void run() {}
    }

    static class Milliseconds {
        @DistributedLock(name = "x", waitFor = 5_000)
        public void run() {}
    }

    static class ShortLease {
        @DistributedLock(name = "x", lease = 99, timeUnit = TimeUnit.MILLISECONDS)
        public void run() {}
    }

    static class NegativeWait {
        @DistributedLock(name = "x", waitFor = -2)
        public void run() {}
    }

    static class TimeExpression {
        @DistributedLock(name = "x", leaseString = "#lease")
        public void run() {}
    }

    static class NoUnit {
        @DistributedLock(name = "x", minHoldString = "${app.hold}")
        public void run() {}
    }

    static class ExclusiveLimit {
        @DistributedLock(name = "x", limit = 3)
        public void run() {}
    }

    static class JobWithoutUnit {
        @OnOneInstance(name = "x", minHold = "10")
        public void run() {}
    }

    static class RetryWithoutUnit {
        @OnOneInstance(name = "x", minHold = "1m", retryAfter = "10")
        public void run() {}
    }

    static class NoLimit {
        @DistributedLock(name = "x", mode = LockMode.SHARED, limit = 0)
        public void run() {}
    }

    static class SkipAndFallback {
        @DistributedLock(name = "x", onContention = OnContention.SKIP, fallbackMethod = "instead")
        public void run() {}
    }

    static class NoFallback {
        @DistributedLock(name = "x", fallbackMethod = "instead")
        public void run() {}
    }

    static class OtherParameters {
        @DistributedLock(name = "x", fallbackMethod = "instead")
        public void run(String id) {}

        void instead(int id) {}
    }

    static class OtherParametersOfTwo {
        @DistributedLock(name = "x", fallbackMethod = "instead")
        public void run(String id) {}

        void instead(int id) {}

        void instead(long id) {}
    }

    @kotlin.Metadata
    static class SuspendingFallback {
        @DistributedLock(name = "x", fallbackMethod = "instead")
        public Object run() {
            return "";
        }

        Object instead(kotlin.coroutines.Continuation<String> then) {
            return "";
        }
    }

    static class OtherException {
        @DistributedLock(name = "x", fallbackMethod = "instead")
        public void run() {}

        void instead(IllegalStateException failure) {}
    }

    static class OtherResult {
        @DistributedLock(name = "x", fallbackMethod = "instead")
        public String run() {
            return "";
        }

        int instead() {
            return 1;
        }
    }

    static class ExpressionAsName {
        @DistributedLock(name = "#order.id")
        public void run(String order) {}
    }

    static class Colon {
        @DistributedLock(name = "shop:order")
        public void run() {}
    }

    static class Whitespace {
        @DistributedLock(name = " pay\n")
        public void run() {}
    }

    static class EmptyName {
        @DistributedLock(name = "${app.lock}")
        public void run() {}
    }

    static class Known {
        @DistributedLock(name = "known")
        public void run() {}
    }

    static class TwoLeading {
        @DistributedLock(name = "x", waitFor = 1)
        @DistributedLock(name = "y", renew = false)
        public void run() {}
    }

    static class NothingToLock {
        @DistributedLock
        public void run() {}
    }

    static class NamelessJob {
        @OnOneInstance(name = " ", minHold = "1s")
        public void run() {}
    }

    static class BlankKey {
        @DistributedLock(keys = {"#p0", " "})
        public void run(String order) {}
    }

    static class BlankOnlyKey {
        @DistributedLock(name = "x", key = " ")
        public void run() {}
    }

    static class KeyAndKeys {
        @DistributedLock(key = "#p0", keys = "#p0")
        public void run(String order) {}
    }

    static class UnknownFunction {
        @DistributedLock(key = "part('a', #p0)")
        public void run(String order) {}
    }

    static class NoParts {
        @DistributedLock(key = "parts()")
        public void run() {}
    }

    static class Orders {
        @DistributedLock(key = "#p0")
        public void pay(long order) {}
    }

    static class Customers {
        @DistributedLock(keys = "#p0")
        public void merge(List<Long> customers) {}
    }

    static class UnknownBean {
        @DistributedLock(name = "x", leaseString = "#{@settings.lease}")
        public void run() {}
    }

    static class FaultyExpression {
        @DistributedLock(name = "x", leaseString = "#{1 +}")
        public void run() {}
    }

    record Customer(long id) {}

    interface Repository extends CrudRepository<Customer, Long> {}

    record RepositoryUser(Repository customers) {}

    static class Weighty {
        @DistributedLock(name = "x", mode = LockMode.SHARED, limit = 2)
        public void run() {}
    }

    static class NoPermits {
        @DistributedSemaphore(name = "mail")
        public void run() {}
    }

    static class NoPermitsOfFurther {
        @DistributedLock(name = "x", waitFor = 1)
        @DistributedSemaphore(name = "mail")
        public void run() {}
    }

    static class PrimitiveSkip {
        @DistributedLock(name = "x", onContention = OnContention.SKIP)
        public int run() {
            return 1;
        }
    }

    static class NoExpression {
        @DistributedLock(key = "'open")
        public void run() {}
    }

    static class NoExpressions {
        @DistributedLock(keys = "#p0, #p1")
        public void run(String from, String to) {}
    }

    static class Template {
        @DistributedLock(key = "#{order")
        public void run(String order) {}
    }

    static class UnknownParameter {
        @DistributedLock(key = "'order:' + #ordr")
        public void run(String order) {}
    }

    static class UnknownInCondition {
        @DistributedLock(name = "x", condition = "#ordr != null")
        public void run(String order) {}
    }

    static class Unquoted {
        @DistributedLock(key = "nightly")
        public void run() {}
    }

    static class UnquotedBeforeParameter {
        @DistributedLock(key = "order-#p0")
        public void run(String order) {}
    }

    static class WithoutHash {
        @DistributedLock(key = "order.length() + 1")
        public void run(String order) {}
    }

    static class Unfollowed {
        @DistributedLock(name = "x")
        public java.util.concurrent.FutureTask<String> run() {
            return new java.util.concurrent.FutureTask<>(() -> "");
        }
    }

    @kotlin.Metadata
    static class Suspending {
        @DistributedLock(name = "x")
        public Object run(kotlin.coroutines.Continuation<String> then) {
            return "";
        }
    }

    static class Locked {
        @DistributedLock(name = "x")
        public void run() {}
    }

    private static Class<?> stripped() {
        return new ByteBuddy()
                .subclass(Object.class)
                .name("com.example.Stripped")
                .defineMethod("run", void.class, Visibility.PUBLIC)
                .withParameters(String.class)
                .intercept(StubMethod.INSTANCE)
                .annotateMethod(AnnotationDescription.Builder.ofType(DistributedLock.class)
                        .define("key", "#order")
                        .build())
                .make()
                .load(StartupMessagesTest.class.getClassLoader())
                .getLoaded();
    }

    static class BlankRole {
        @LeaderOnly(" ")
        public void run() {}
    }

    static class ExpressionAsRole {
        @LeaderOnly("#role")
        public void run(String role) {}
    }

    static class ReactiveOnLeader {
        @LeaderOnly("a")
        public Mono<String> run() {
            return Mono.empty();
        }
    }

    static class PrimitiveOnLeader {
        @LeaderOnly("a")
        public int run() {
            return 1;
        }
    }

    static class OnLeader {
        @LeaderOnly("outbox")
        public void run() {}
    }

    record RoleUser(Leadership leadership) {}

    @EnableTransactionManagement(order = 5)
    @Configuration(proxyBeanMethods = false)
    static class Managed {}

    static class OwnManager implements PlatformTransactionManager {
        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void commit(TransactionStatus status) {}

        @Override
        public void rollback(TransactionStatus status) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Marked {
        @Bean
        @LockConnectionFactory
        RedisConnectionFactory marked() {
            return mock(RedisConnectionFactory.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Two {
        @Bean
        RedisConnectionFactory one() {
            return mock(RedisConnectionFactory.class);
        }

        @Bean
        RedisConnectionFactory two() {
            return mock(RedisConnectionFactory.class);
        }
    }

    record TemplateUser(LockTemplate locks) {}

    static class Daily {
        @OnOneInstance(name = "report", minHold = "1s")
        public void run() {}
    }

    static class Weekly extends Daily {
        @Override
        @OnOneInstance(name = "report", minHold = "1s")
        public void run() {}
    }

    static class Sender {
        @DistributedSemaphore(name = "mail", permits = 2)
        public void run() {}
    }

    static class Receiver {
        @DistributedSemaphore(name = "mail", permits = 3)
        public void run() {}
    }

    static class Asynchronous {
        @Async
        @DistributedLock(name = "x")
        public void run() {}
    }

    @EnableAsync(order = Integer.MIN_VALUE)
    @Configuration(proxyBeanMethods = false)
    static class AsyncInside {}

    static class InCircle {
        @Autowired
        void set(Circle other) {}

        @Scheduled(fixedRate = 1_000_000)
        @DistributedLock(name = "x")
        public void run() {}
    }

    static class Circle {
        @Autowired
        void set(InCircle other) {}
    }

    private static ApplicationContextRunner locked(Class<?> bean, String... properties) {
        return Runners.inMemory().withBean(bean).withPropertyValues(properties);
    }

    private static ApplicationContextRunner fenced() {
        return Runners.inMemory().withPropertyValues("holdfast.transactions.fence.enabled=true");
    }

    private static DataSource h2() {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:");
        return database;
    }

    private static DataSource derby() {
        DataSource database = mock(DataSource.class, RETURNS_DEEP_STUBS);
        try {
            when(database.getConnection().getMetaData().getURL()).thenReturn("jdbc:derby:memory");
            when(database.getConnection().getMetaData().getDatabaseProductName())
                    .thenReturn("Apache Derby");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return database;
    }

    /** Redis does not respond. */
    private static ApplicationContextRunner failing() {
        return Runners.starter()
                .withBean(
                        LockStore.class,
                        () -> mock(LockStore.class, call -> {
                            if (call.getMethod().getName().equals("toString")) {
                                return "a store that fails";
                            }
                            if (call.getMethod().getName().equals("inspect")) {
                                throw new LockStoreException("Redis cannot be reached.", null, false);
                            }
                            return org.mockito.Answers.RETURNS_DEFAULTS.answer(call);
                        }));
    }

    private static ApplicationContextRunner details(
            @Nullable Standalone single, @Nullable Sentinel sentinel, @Nullable Cluster cluster) {
        return Runners.redis()
                .withBean(
                        LockConnectionDetails.class,
                        () -> new LockConnectionDetailsTest.Details(single, sentinel, cluster, null));
    }

    private static Map<String, Supplier<ApplicationContextRunner>> applications() {
        Map<String, Supplier<ApplicationContextRunner>> all = new LinkedHashMap<>();
        all.put("property in an annotation that is not set", () -> locked(UnsetProperty.class));
        all.put("private method", () -> locked(PrivateMethod.class));
        all.put("private function of Kotlin", () -> locked(PrivateFunction.class));
        all.put("static method", () -> locked(StaticMethod.class));
        all.put("final method", () -> locked(FinalMethod.class));
        all.put("final function of Kotlin", () -> locked(FinalFunction.class));
        all.put("final class", () -> locked(FinalClass.class));
        all.put("final class with an interface", () -> locked(FinalTask.class));
        all.put("package-private method of another package", () -> locked(OfOtherPackage.class));
        all.put("method that Spring calls", () -> locked(Callback.class));
        all.put("annotation of a class without public methods", () -> locked(NothingPublic.class));
        all.put("number and text", () -> locked(NumberAndText.class));
        all.put("time that looks like milliseconds", () -> locked(Milliseconds.class));
        all.put("time out of range", () -> locked(ShortLease.class));
        all.put("negative wait", () -> locked(NegativeWait.class));
        all.put("time that is an expression", () -> locked(TimeExpression.class));
        all.put("time without a unit", () -> locked(NoUnit.class, "app.hold=5"));
        all.put("time of a job without a unit", () -> locked(JobWithoutUnit.class));
        all.put("time to the next attempt of a job without a unit", () -> locked(RetryWithoutUnit.class));
        all.put("limit of an exclusive lock", () -> locked(ExclusiveLimit.class));
        all.put("limit below one", () -> locked(NoLimit.class));
        all.put("skip and fallback", () -> locked(SkipAndFallback.class));
        all.put("fallback that does not exist", () -> locked(NoFallback.class));
        all.put("fallback with other parameters", () -> locked(OtherParameters.class));
        all.put("fallbacks with other parameters", () -> locked(OtherParametersOfTwo.class));
        all.put("fallback that suspends", () -> locked(SuspendingFallback.class));
        all.put("fallback for another exception", () -> locked(OtherException.class));
        all.put("fallback with another result", () -> locked(OtherResult.class));
        all.put("name that is an expression", () -> locked(ExpressionAsName.class));
        all.put("name with a colon", () -> locked(Colon.class));
        all.put("name with whitespace", () -> locked(Whitespace.class));
        all.put("name that is empty", () -> locked(EmptyName.class, "app.lock="));
        all.put("settings for an unknown name", () -> locked(Known.class, "holdfast.locks.unknwon.lease=5s"));
        all.put("two annotations that set attributes of the call", () -> locked(TwoLeading.class));
        all.put("neither name nor key", () -> locked(NothingToLock.class));
        all.put("no name where there is no key", () -> locked(NamelessJob.class));
        all.put("blank expression among keys", () -> locked(BlankKey.class));
        all.put("key that is blank", () -> locked(BlankOnlyKey.class));
        all.put("key and keys", () -> locked(KeyAndKeys.class));
        all.put("unknown function", () -> locked(UnknownFunction.class));
        all.put("function without values", () -> locked(NoParts.class));
        all.put("keys without a name in two classes", () -> locked(Orders.class).withBean(Customers.class));
        all.put("time of an unknown bean", () -> locked(UnknownBean.class));
        all.put("time of an expression with a fault", () -> locked(FaultyExpression.class));
        all.put("weight above the limit", () -> locked(Weighty.class, "holdfast.locks.x.weight=3"));
        all.put("semaphore without permits", () -> locked(NoPermits.class));
        all.put("semaphore without permits that is not the first", () -> locked(NoPermitsOfFurther.class));
        all.put("skip without a result", () -> locked(PrimitiveSkip.class));
        all.put("key that is no expression", () -> locked(NoExpression.class));
        all.put("keys that are no expression", () -> locked(NoExpressions.class));
        all.put("key in a template", () -> locked(Template.class));
        all.put("unknown parameter", () -> locked(UnknownParameter.class));
        all.put("unknown parameter in a condition", () -> locked(UnknownInCondition.class));
        all.put("parameter whose name is not available", () -> locked(stripped()));
        all.put("literal text without quotes", () -> locked(Unquoted.class));
        all.put("literal text without quotes before a parameter", () -> locked(UnquotedBeforeParameter.class));
        all.put("parameter without its hash", () -> locked(WithoutHash.class));
        all.put("stage that cannot be followed", () -> locked(Unfollowed.class));
        all.put("suspend function without its libraries", () -> locked(Suspending.class));
        all.put("locked method without a template", () -> Runners.withoutStore().withBean(Locked.class));
        all.put("locked method without proxies", () -> locked(Locked.class, "spring.aop.auto=false"));
        all.put(
                "locked bean without a proxy",
                () -> Runners.inMemory()
                        .withInitializer(
                                context -> context.getBeanFactory().registerSingleton("selfMade", new Locked())));
        all.put(
                "several templates",
                () -> Runners.withoutStore()
                        .withBean("one", LockTemplate.class, () -> mock(LockTemplate.class))
                        .withBean("two", LockTemplate.class, () -> mock(LockTemplate.class))
                        .withBean(Locked.class));
        all.put("role that is blank", () -> locked(BlankRole.class));
        all.put("role that is an expression", () -> locked(ExpressionAsRole.class));
        all.put("reactive method of a leader", () -> locked(ReactiveOnLeader.class));
        all.put("method of a leader without a result", () -> locked(PrimitiveOnLeader.class));
        all.put("leader without a template", () -> Runners.withoutStore().withBean(OnLeader.class));
        all.put(
                "bean of a leader without a proxy",
                () -> Runners.inMemory()
                        .withInitializer(
                                context -> context.getBeanFactory().registerSingleton("selfMade", new OnLeader())));
        all.put(
                "settings for an unknown role",
                () -> locked(OnLeader.class, "holdfast.leadership.roles.outbx.enabled=false"));
        all.put("role that the properties do not name", () -> Runners.inMemory().withBean(RoleUser.class));
        all.put(
                "transactions outside locks",
                () -> Runners.inMemory().withUserConfiguration(Managed.class).withBean(Locked.class));
        all.put(
                "transaction manager that cannot be checked",
                () -> Runners.inMemory().withBean("own", OwnManager.class));
        all.put(
                "URL without Jedis",
                () -> Runners.starter()
                        .withClassLoader(new FilteredClassLoader("redis.clients"))
                        .withPropertyValues("holdfast.redis.url=redis://127.0.0.1"));
        all.put("URL that is none", () -> Runners.starter().withPropertyValues("holdfast.redis.url=http://127.0.0.1"));
        all.put(
                "store in memory",
                () -> Runners.starter()
                        .withPropertyValues("holdfast.store=in-memory")
                        .withBean(Locked.class));
        all.put(
                "URL beside a quorum",
                () -> Runners.starter()
                        .withPropertyValues("holdfast.redis.url=redis://127.0.0.1")
                        .withPropertyValues("holdfast.quorum.nodes=a:1,b:1,c:1"));
        all.put("quorum of two", () -> Runners.starter().withPropertyValues("holdfast.quorum.nodes=a:1,b:1"));
        all.put(
                "quorum with a server twice",
                () -> Runners.starter().withPropertyValues("holdfast.quorum.nodes=a:1,b:1,a:1"));
        all.put(
                "short rejoin delay",
                () -> Runners.starter()
                        .withPropertyValues("holdfast.quorum.nodes=a:1,b:1,c:1")
                        .withPropertyValues("holdfast.quorum.rejoin-delay=29s"));
        all.put(
                "replicas of a quorum",
                () -> Runners.starter()
                        .withPropertyValues("holdfast.quorum.nodes=a:1,b:1,c:1")
                        .withPropertyValues("holdfast.redis.replica-acks.count=1"));
        all.put("bundle without a URL", () -> Runners.starter().withPropertyValues("holdfast.redis.ssl.bundle=locks"));
        all.put(
                "connections of the application for another server",
                () -> Runners.starter()
                        .withPropertyValues("holdfast.redis.url=redis://127.0.0.1")
                        .withPropertyValues("holdfast.redis.connection=application"));
        all.put(
                "marked factory beside a URL",
                () -> Runners.starter()
                        .withPropertyValues("holdfast.redis.url=redis://127.0.0.1")
                        .withUserConfiguration(Marked.class));
        all.put(
                "template beside a URL",
                () -> Runners.redis()
                        .withPropertyValues("holdfast.redis.url=redis://127.0.0.1")
                        .withUserConfiguration(OwnTemplateTest.Own.class));
        all.put("details without a server", () -> details(null, null, null));
        all.put(
                "details without sentinels",
                () -> details(null, new Sentinel("locks", List.of(), 0, null, null), null));
        all.put("details without nodes", () -> details(null, null, new Cluster(List.of())));
        all.put(
                "template beside details",
                () -> details(new Standalone("127.0.0.1", 1, 0), null, null)
                        .withUserConfiguration(OwnTemplateTest.Own.class));
        all.put(
                "template and dedicated connections",
                () -> Runners.redis()
                        .withPropertyValues("holdfast.redis.connection=dedicated")
                        .withUserConfiguration(OwnTemplateTest.Own.class));
        all.put(
                "several factories",
                () -> Runners.starter().withUserConfiguration(Two.class).withBean(Locked.class));
        all.put(
                "Jedis for a factory that it cannot use",
                () -> Runners.starter()
                        .withPropertyValues("holdfast.redis.connection=dedicated")
                        .withUserConfiguration(Marked.class));
        all.put(
                "server of the application without a factory",
                () -> Runners.starter()
                        .withPropertyValues("spring.data.redis.host=redis.example.com")
                        .withBean(Locked.class));
        all.put(
                "repository that is assigned to no module",
                () -> Runners.inMemory().withBean(RepositoryUser.class));
        all.put(
                "template while disabled",
                () -> Runners.inMemory()
                        .withPropertyValues("holdfast.enabled=false")
                        .withBean(TemplateUser.class));
        all.put(
                "property that is misspelled",
                () -> Runners.inMemory().withPropertyValues("holdfast.redis.command-timout=1s"));
        all.put("property that is unknown", () -> Runners.inMemory().withPropertyValues("holdfast.async.colour=red"));
        all.put("property that is empty", () -> Runners.inMemory().withPropertyValues("holdfast.lease="));
        all.put(
                "address of Redis in parts",
                () -> Runners.inMemory().withPropertyValues("holdfast.redis.host=redis.example.com"));
        all.put("value of a prefix", () -> Runners.inMemory().withPropertyValues("holdfast.locks.pay=10s"));
        all.put("duration without a unit", () -> Runners.inMemory().withPropertyValues("holdfast.lease=30"));
        all.put("duration that is none", () -> Runners.inMemory().withPropertyValues("holdfast.lease=30sec"));
        all.put(
                "property that an empty variable overrides",
                () -> Runners.inMemory()
                        .withInitializer(context -> context.getEnvironment()
                                .getPropertySources()
                                .addFirst(new SystemEnvironmentPropertySource(
                                        "systemEnvironment", Map.of("HOLDFAST_LEASE", ""))))
                        .withPropertyValues("holdfast.lease=20s"));
        all.put(
                "command timeout above the lease",
                () -> Runners.starter()
                        .withPropertyValues("holdfast.redis.url=redis://127.0.0.1:1")
                        .withPropertyValues("holdfast.lease=1s")
                        .withPropertyValues("holdfast.redis.command-timeout=2s"));
        all.put(
                "node timeout above the lease",
                () -> Runners.starter()
                        .withPropertyValues("holdfast.quorum.nodes=a:1,b:1,c:1")
                        .withPropertyValues("holdfast.lease=200ms"));
        all.put("longest hold below the lease", () -> Runners.inMemory().withPropertyValues("holdfast.max-hold=5s"));
        all.put(
                "commit margin above the lease",
                () -> Runners.inMemory().withPropertyValues("holdfast.transactions.commit-margin=30s"));
        all.put("value of holdfast.lease", () -> Runners.inMemory().withPropertyValues("holdfast.lease=1ms"));
        all.put("value of holdfast.wait-for", () -> Runners.inMemory().withPropertyValues("holdfast.wait-for=-1s"));
        all.put("value of holdfast.max-hold", () -> Runners.inMemory().withPropertyValues("holdfast.max-hold=-1s"));
        all.put("value of holdfast.warn-after", () -> Runners.inMemory().withPropertyValues("holdfast.warn-after=-1s"));
        all.put(
                "value of holdfast.outage-tolerance",
                () -> Runners.inMemory().withPropertyValues("holdfast.outage-tolerance=-1s"));
        all.put(
                "value of holdfast.redis.key-prefix",
                () -> Runners.inMemory().withPropertyValues("holdfast.redis.key-prefix={"));
        all.put(
                "value of holdfast.redis.command-timeout",
                () -> Runners.inMemory().withPropertyValues("holdfast.redis.command-timeout=1ms"));
        all.put(
                "value of holdfast.redis.token-retention",
                () -> Runners.inMemory().withPropertyValues("holdfast.redis.token-retention=1ms"));
        all.put(
                "value of holdfast.redis.max-connections",
                () -> Runners.inMemory().withPropertyValues("holdfast.redis.max-connections=0"));
        all.put(
                "value of holdfast.redis.replica-acks.count",
                () -> Runners.inMemory().withPropertyValues("holdfast.redis.replica-acks.count=-1"));
        all.put(
                "value of holdfast.redis.replica-acks.timeout",
                () -> Runners.inMemory().withPropertyValues("holdfast.redis.replica-acks.timeout=0s"));
        all.put(
                "value of holdfast.quorum.command-timeout",
                () -> Runners.inMemory().withPropertyValues("holdfast.quorum.command-timeout=1ms"));
        all.put(
                "value of holdfast.quorum.rejoin-delay",
                () -> Runners.inMemory().withPropertyValues("holdfast.quorum.rejoin-delay=-1s"));
        all.put(
                "value of holdfast.transactions.commit-margin",
                () -> Runners.inMemory().withPropertyValues("holdfast.transactions.commit-margin=-1s"));
        all.put(
                "value of holdfast.shutdown.timeout",
                () -> Runners.inMemory().withPropertyValues("holdfast.shutdown.timeout=2d"));
        all.put(
                "value of holdfast.problem-details.retry-after",
                () -> Runners.inMemory().withPropertyValues("holdfast.problem-details.retry-after=-1s"));
        all.put(
                "value of holdfast.problem-details.status",
                () -> Runners.inMemory().withPropertyValues("holdfast.problem-details.status=200"));
        all.put(
                "value of holdfast.async.max-waiting",
                () -> Runners.inMemory().withPropertyValues("holdfast.async.max-waiting=0"));
        all.put(
                "value of holdfast.scheduled.min-hold",
                () -> Runners.inMemory().withPropertyValues("holdfast.scheduled.min-hold=-1s"));
        all.put(
                "value of holdfast.locks.a.limit",
                () -> Runners.inMemory().withPropertyValues("holdfast.locks.a.limit=0"));
        all.put(
                "value of holdfast.locks.a.weight",
                () -> Runners.inMemory().withPropertyValues("holdfast.locks.a.weight=0"));
        all.put(
                "value of holdfast.locks.a.max-waiting",
                () -> Runners.inMemory().withPropertyValues("holdfast.locks.a.max-waiting=0"));
        all.put(
                "value of holdfast.locks[#a].lease",
                () -> Runners.inMemory().withPropertyValues("holdfast.locks[#a].lease=1s"));
        all.put(
                "value of holdfast.leadership.lease",
                () -> Runners.inMemory().withPropertyValues("holdfast.leadership.lease=1ms"));
        all.put(
                "value of holdfast.leadership.roles.a.lease",
                () -> Runners.inMemory().withPropertyValues("holdfast.leadership.roles.a.lease=1ms"));
        all.put(
                "value of holdfast.leadership.roles.a.key",
                () -> Runners.inMemory().withPropertyValues("holdfast.leadership.roles.a.key= "));
        all.put(
                "value of holdfast.leadership.roles.b.key",
                () -> Runners.inMemory().withPropertyValues("holdfast.leadership.roles.b.key=#key"));
        all.put(
                "fence without spring-jdbc",
                () -> fenced().withClassLoader(new FilteredClassLoader("org.springframework.jdbc")));
        all.put(
                "fence without its table",
                () -> fenced().withPropertyValues("holdfast.transactions.fence.initialize-schema=never")
                        .withBean(PlatformTransactionManager.class, () -> new DataSourceTransactionManager(h2())));
        all.put(
                "fence in a database that it does not know",
                () -> fenced().withBean(
                                PlatformTransactionManager.class, () -> new DataSourceTransactionManager(derby())));
        all.put("fence of transactions of something else", () -> fenced().withBean(OwnManager.class));
        all.put("fence without a transaction manager", StartupMessagesTest::fenced);
        all.put(
                "fence",
                () -> fenced().withBean(
                                PlatformTransactionManager.class,
                                () -> new DataSourceTransactionManager(new DriverManagerDataSource(
                                        "jdbc:h2:mem:fence-at-startup;DB_CLOSE_DELAY=-1"))));
        all.put(
                "fence with a table that has no name",
                () -> fenced().withPropertyValues("holdfast.transactions.fence.table=a table")
                        .withBean(PlatformTransactionManager.class, () -> new DataSourceTransactionManager(h2())));
        all.put("fail-fast", () -> failing().withPropertyValues("holdfast.fail-fast=true"));
        all.put("store that is not available", () -> failing().withBean(TemplateUser.class));
        all.put(
                "Spring Boot 3",
                () -> Runners.inMemory()
                        .withInitializer(context ->
                                context.addBeanFactoryPostProcessor(beans -> SpringBootVersionCheck.check("3.5.7"))));
        all.put("two jobs of one name", () -> locked(Daily.class).withBean(Weekly.class));
        all.put(
                "semaphores of one name with different permits",
                () -> locked(Sender.class).withBean(Receiver.class));
        all.put(
                "asynchronous method outside its lock",
                () -> locked(Asynchronous.class).withUserConfiguration(AsyncInside.class));
        all.put(
                "scheduled method in a circular reference",
                () -> locked(InCircle.class).withAllowCircularReferences(true).withBean(Circle.class));
        all.put("locked method while disabled", () -> locked(Locked.class, "holdfast.enabled=false"));
        all.put(
                "locked methods are excluded",
                () -> Runners.inMemoryWithout(LockAopAutoConfiguration.class).withBean(Locked.class));
        all.put("template in a test slice", () -> Runners.partForTest().withBean(TemplateUser.class));
        return all;
    }

    static Set<String> cases() {
        return applications().keySet();
    }

    /** What the operator reads: the analysis of a failure, and lines in the log. */
    private static String messagesOf(ApplicationContextRunner application) {
        Logger logger = (Logger) LoggerFactory.getLogger("io.holdfast");
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        List<String> messages = new ArrayList<>();
        log.start();
        logger.addAppender(log);
        try {
            List<ConfigurableApplicationContext> started = new ArrayList<>();
            application.withInitializer(started::add).run(context -> {
                if (context.getStartupFailure() != null) {
                    messages.add(Startup.failureOf(context, started.get(0)));
                }
                awaitFirstCall();
                log.stop(); // what is logged when the application ends is no message at startup
            });
        } finally {
            logger.detachAppender(log);
        }
        log.list.stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.INFO))
                .filter(event ->
                        !event.getFormattedMessage().startsWith("Elected leader")) // at some time after the start
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .forEach(messages::add);
        return String.join("\n", messages)
                .replaceAll("\\$MockitoMock\\$\\w+", "")
                .replaceAll("\\[(\\d+)-\\d+]", "[$1]"); // of the version of H2
    }

    private static void awaitFirstCall() throws InterruptedException {
        for (Thread each : Thread.getAllStackTraces().keySet()) {
            if (each.getName().equals("holdfast-warm-up")) {
                each.join(TimeUnit.SECONDS.toMillis(30));
            }
        }
    }

    private static Map<String, String> expected() throws IOException {
        Map<String, String> expected = new LinkedHashMap<>();
        for (String each : Files.readString(EXPECTED).split("(?m)^=== ")) {
            if (!each.isEmpty()) {
                String[] parts = each.split("\n", 2);
                expected.put(parts[0], parts[1].strip());
            }
        }
        return expected;
    }

    @ParameterizedTest
    @MethodSource("cases")
    void message_is_shown_with_its_whole_text(String name) throws IOException {
        String text = messagesOf(applications().get(name).get()).strip();
        record(name, text);

        assertThat(text).isNotEmpty().isEqualTo(expected().get(name));
    }

    /** The first case replaces the file of the last run. */
    private static void record(String name, String text) throws IOException {
        if (name.equals(cases().iterator().next())) {
            Files.deleteIfExists(ACTUAL);
        }
        Files.writeString(
                ACTUAL,
                "=== " + name + "\n" + text + "\n\n",
                StandardCharsets.UTF_8,
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    @Test
    void no_case_is_missing() throws IOException {
        assertThat(cases()).containsExactlyElementsOf(expected().keySet());
    }

    /** A message is put together from literals of one statement, of which each has to be in the list. */
    @Test
    void every_message_in_the_code_has_a_case() throws IOException {
        String messages = Files.readString(EXPECTED);
        Set<String> missing = new TreeSet<>();
        for (Path source : sources()) {
            String file = source.getFileName().toString();
            String code =
                    Files.readString(source).replaceAll("(?s)/\\*.*?\\*/", "").replaceAll("(?m)//[^\"\n]*$", "");
            LITERAL.matcher(code)
                    .results()
                    .map(found -> found.group().substring(1, found.group().length() - 1))
                    .map(text -> text.replaceAll("\"\\s*\\+\\s*\"", "").translateEscapes())
                    .flatMap(text -> Stream.of(text.split("\\{}")))
                    .map(String::strip)
                    .filter(text -> text.contains(" ") && text.length() >= ENOUGH_LETTERS)
                    .filter(text -> !messages.contains(text))
                    .forEach(text -> missing.add(file + ": " + text));
        }
        assertThat(missing)
                .filteredOn(text -> NOT_HERE.stream().noneMatch(text::startsWith))
                .isEmpty();
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> all = Files.walk(Path.of("src/main/java"))) {
            return all.filter(path -> path.toString().endsWith(".java"))
                    .filter(path ->
                            STARTUP.contains(path.getParent().getFileName().toString()))
                    .filter(path -> !OF_CALLS.contains(path.getFileName().toString()))
                    .sorted()
                    .toList();
        }
    }
}
