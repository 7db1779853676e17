package io.holdfast.lock.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Which way imports run, and which classes are doors. */
class ArchitectureTest {

    private static final String BASE = "io.holdfast.lock.spring";

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> location.contains("lock-spring-boot-starter"))
            .importPackages(BASE);

    @Test
    void annotations_need_the_api_only() {
        noClasses()
                .that()
                .resideInAPackage(BASE + ".annotation")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        BASE + ".aop",
                        BASE + ".definition",
                        BASE + ".key",
                        BASE + ".result",
                        BASE + ".autoconfigure..",
                        "io.holdfast.lock.engine",
                        "io.holdfast.lock.redis..")
                .check(CLASSES);
    }

    @Test
    void types_for_locked_methods_need_the_api_only() {
        layer("", ".annotation", ".aop", ".autoconfigure..", ".definition", ".key", ".leader", ".result");
    }

    /** Interception reads definitions; definitions have keys and results; those two know neither. */
    @Test
    void interception_is_built_in_layers() {
        layer(".aop", ".jobs", ".leader");
        layer(".jobs", ".leader");
        layer(".definition", ".aop", ".jobs", ".leader");
        layer(".key", ".aop", ".definition", ".result");
        layer(".result", ".aop", ".definition", ".key");
        layer(".coroutine", ".aop", ".definition", ".key", ".result", ".transaction");
        layer(".transaction", ".aop", ".definition", ".fence", ".key", ".result");
        layer(".fence", ".aop", ".definition", ".key", ".result");
    }

    private static void layer(String lower, String... upper) {
        noClasses()
                .that()
                .resideInAPackage(BASE + lower)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(Stream.of(upper).map(BASE::concat).toArray(String[]::new))
                .check(CLASSES);
    }

    @Test
    void interception_knows_the_api_of_the_core_and_nothing_else_of_it() {
        noClasses()
                .that()
                .resideInAnyPackage(
                        BASE + ".aop",
                        BASE + ".definition",
                        BASE + ".fence",
                        BASE + ".jobs",
                        BASE + ".key",
                        BASE + ".leader",
                        BASE + ".result",
                        BASE + ".transaction")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        BASE + ".autoconfigure..",
                        "io.holdfast.lock.engine..",
                        "io.holdfast.lock.memory..",
                        "io.holdfast.lock.quorum..",
                        "io.holdfast.lock.redis..",
                        "io.holdfast.lock.store..",
                        "io.holdfast.lock.waiting..")
                .check(CLASSES);
    }

    @Test
    void only_configurations_touch_engine_and_stores() {
        noClasses()
                .that()
                .resideOutsideOfPackage(BASE + ".autoconfigure..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.holdfast.lock.engine..", "io.holdfast.lock.quorum..", "io.holdfast.lock.redis..")
                .check(CLASSES);
    }

    /** What tests need is a module of its own, which production does not have. */
    @Test
    void nothing_needs_libraries_for_tests() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        BASE + ".test",
                        "org.springframework.test..",
                        "org.springframework.boot.test..",
                        "org.mockito..")
                .check(CLASSES);
    }

    /** Applications without spring-jdbc never load it. */
    @Test
    void nothing_needs_the_fence() {
        noClasses()
                .that()
                .resideOutsideOfPackage(BASE + ".fence")
                .and()
                .haveNameNotMatching(".*LockFenceAutoConfiguration.*")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(BASE + ".fence", "org.springframework.jdbc..", "javax.sql..")
                .check(CLASSES);
    }

    /** Applications without Spring Integration never load it. */
    @Test
    void nothing_needs_the_optional_package() {
        noClasses()
                .that()
                .resideOutsideOfPackage(BASE + ".integration")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(BASE + ".integration", "org.springframework.integration..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage(BASE + ".integration")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        BASE + ".autoconfigure..",
                        BASE + ".aop",
                        "io.holdfast.lock.engine..",
                        "io.holdfast.lock.store..")
                .check(CLASSES);
    }

    /** Applications have them in development and in tests. */
    @Test
    void one_package_knows_containers() {
        noClasses()
                .that()
                .resideOutsideOfPackage(BASE + ".container")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        BASE + ".container",
                        "org.testcontainers..",
                        "org.springframework.boot.testcontainers..",
                        "org.springframework.boot.docker..")
                .check(CLASSES);
    }

    /** What needs Kotlin is in lock-kotlin. */
    @Test
    void nothing_knows_kotlin() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("kotlin..", "kotlinx..")
                .check(CLASSES);
    }

    @Test
    void doors_are_these() {
        assertThat(CLASSES)
                .filteredOn(ArchitectureTest::isDoor)
                .extracting(each -> each.getName().substring(BASE.length() + 1))
                .containsExactlyInAnyOrder(
                        "annotation.DistributedLock",
                        "annotation.DistributedLocks",
                        "annotation.DistributedReadLock",
                        "annotation.DistributedSemaphore",
                        "annotation.DistributedWriteLock",
                        "annotation.LeaderOnly",
                        "LockAssert",
                        "LockAssert$TestHelper",
                        "annotation.LockConnectionFactory",
                        "LockContext",
                        "LockContext$Scope",
                        "LockConfigurationException",
                        "LockRequestCustomizer",
                        "annotation.OnContention",
                        "annotation.OnOneInstance",
                        "annotation.OnLost",
                        "coroutine.KotlinNames",
                        "coroutine.SuspendFunctions",
                        "autoconfigure.actuate.LocksEndpointAutoConfiguration",
                        "autoconfigure.actuate.LocksHealthContributorAutoConfiguration",
                        "autoconfigure.LockStoreAutoConfiguration",
                        "autoconfigure.LockAopAutoConfiguration",
                        "autoconfigure.LockAutoConfiguration",
                        "autoconfigure.LockJobsAutoConfiguration",
                        "autoconfigure.LockLeadershipAutoConfiguration",
                        "autoconfigure.LockTransactionAutoConfiguration",
                        "autoconfigure.LockFenceAutoConfiguration",
                        "autoconfigure.observation.LockEventAutoConfiguration",
                        "autoconfigure.observation.LockMetricsAutoConfiguration",
                        "autoconfigure.observation.LockObservationAutoConfiguration",
                        "autoconfigure.LockProblemDetailsAutoConfiguration",
                        "aop.JobCalls",
                        "aop.JobCalls$Call",
                        "aop.LockAdvisor",
                        "aop.LockInterceptor",
                        "aop.LockStartupCheck",
                        "aop.ProxiedBean",
                        "aop.ProxiedBean$Check",
                        "autoconfigure.LockEngineBuilderCustomizer",
                        "autoconfigure.LockConnectionDetails",
                        "autoconfigure.LockConnectionDetails$Cluster",
                        "autoconfigure.LockConnectionDetails$Node",
                        "autoconfigure.LockConnectionDetails$Sentinel",
                        "autoconfigure.LockConnectionDetails$Standalone",
                        "definition.AnnotatedMethods",
                        "definition.AnnotationOptions",
                        "definition.ConfiguredOptions",
                        "definition.LockOperation",
                        "definition.LockOperation$Lock",
                        "definition.LockOperationSource",
                        "definition.LockOptions",
                        "key.LockExpression",
                        "key.LockExpression$Call",
                        "key.LockExpression$Scope",
                        "key.LockKeys",
                        "definition.LiteralText",
                        "definition.Fallbacks",
                        "integration.HoldfastLockRegistry",
                        "jobs.Decision$Ahead", // nested in an interface that is not public
                        "jobs.Decision$Later",
                        "jobs.Decision$Run",
                        "jobs.Decision$Taken",
                        "jobs.JobEvent",
                        "jobs.JobObserver",
                        "jobs.JobRun",
                        "jobs.JobRun$Outcome",
                        "jobs.JobSettings",
                        "jobs.JobStatus",
                        "jobs.Jobs",
                        "jobs.Schedule$Cron",
                        "jobs.Schedule$Delay",
                        "jobs.Schedule$Rate",
                        "jobs.Schedule$Several",
                        "leader.LeaderAdvisor",
                        "LeaderElectedEvent",
                        "LeaderRevokedEvent",
                        "leader.LeaderRoles",
                        "leader.LeaderSettings",
                        "leader.LeadershipObserver",
                        "observation.DefaultLockObservationConvention",
                        "observation.LockObservationContext",
                        "observation.LockObservationContext$Outcome",
                        "observation.LockObservationConvention",
                        "observation.LockObservationDocumentation",
                        "observation.LockObservationDocumentation$HighCardinalityKeyNames",
                        "observation.LockObservationDocumentation$LowCardinalityKeyNames",
                        "result.LockedCall",
                        "result.PublisherLock",
                        "result.ResultKind",
                        "result.SubscriberObservation",
                        "result.SuspendSupport",
                        "transaction.CallerTransactions",
                        "transaction.CommitCheck",
                        "transaction.JoinedTransactions",
                        "transaction.ManagerListeners",
                        "fence.FenceTable",
                        "fence.TransactionFence");
    }

    private static boolean isDoor(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && !type.getSimpleName().equals("package-info");
    }
}
