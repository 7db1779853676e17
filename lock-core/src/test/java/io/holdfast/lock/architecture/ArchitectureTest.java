package io.holdfast.lock.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasName;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import io.holdfast.lock.threads.DaemonThreads;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who may import whom, and which classes are a package's doors. */
class ArchitectureTest {

    private static final String BASE = "io.holdfast.lock.";

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.holdfast.lock");

    /** A class that is public is a promise; add to this list only on purpose. {@code api}, {@code store} and {@code threads} are all doors. */
    private static final Map<String, Set<String>> DOORS = Map.ofEntries(
            entry("redis", Set.of("RedisLockStore", "RedisLockSettings")),
            entry(
                    "redis.driver",
                    Set.of(
                            "JedisConnections",
                            "ApplicationConnections",
                            "LettuceApplication",
                            "LuaScript",
                            "RedisFailures",
                            "SlotSubscription",
                            "Wire")),
            entry("memory", Set.of("InMemoryLockStore")),
            entry("quorum", Set.of("QuorumLockStore", "QuorumNode")),
            entry(
                    "waiting",
                    Set.of(
                            "LocalQueue",
                            "EntryKeeper",
                            "QueueEntry",
                            "Outages",
                            "Cohort",
                            "Failing",
                            "StoreTime",
                            "Budget")),
            entry("engine", Set.of("LockEngine", "LockEngineBuilder")),
            entry("engine.acquire", Set.of("Acquisition", "MultiAcquisition", "Steps", "Waits")),
            entry("engine.hold", Set.of("AcquireResult", "Handle", "HeldLocks", "Hold", "Terms")),
            entry("leader", Set.of("LeaderElection", "Leadership", "Term")),
            entry("engine.client", Set.of("Cleanup", "ClientContext", "EventPublisher", "ServerWorkers")));

    @Test
    void imports_run_one_way() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("api")
                .definedBy(BASE + "api")
                .layer("threads")
                .definedBy(BASE + "threads")
                .layer("store")
                .definedBy(BASE + "store..")
                .layer("redis")
                .definedBy(BASE + "redis")
                .layer("driver")
                .definedBy(BASE + "redis.driver")
                .layer("memory")
                .definedBy(BASE + "memory")
                .layer("quorum")
                .definedBy(BASE + "quorum")
                .layer("waiting")
                .definedBy(BASE + "waiting")
                .layer("leader")
                .definedBy(BASE + "leader")
                .layer("engine")
                .definedBy(BASE + "engine")
                .layer("acquire")
                .definedBy(BASE + "engine.acquire")
                .layer("hold")
                .definedBy(BASE + "engine.hold")
                .layer("client")
                .definedBy(BASE + "engine.client")
                .whereLayer("api")
                .mayNotAccessAnyLayer()
                .whereLayer("threads")
                .mayOnlyAccessLayers("api")
                .whereLayer("store")
                .mayOnlyAccessLayers("api")
                .whereLayer("redis")
                .mayOnlyAccessLayers("driver", "store", "threads", "api")
                .whereLayer("driver")
                .mayOnlyAccessLayers("store", "threads", "api")
                .whereLayer("driver")
                .mayOnlyBeAccessedByLayers("redis")
                .whereLayer("memory")
                .mayOnlyAccessLayers("store", "threads", "api")
                .whereLayer("quorum")
                .mayOnlyAccessLayers("store", "threads", "api")
                .whereLayer("waiting")
                .mayOnlyAccessLayers("store", "threads", "api")
                .whereLayer("leader")
                .mayOnlyAccessLayers("threads", "api")
                .whereLayer("leader")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("engine")
                .mayOnlyAccessLayers("acquire", "hold", "client", "waiting", "store", "threads", "api")
                .whereLayer("acquire")
                .mayOnlyAccessLayers("hold", "client", "waiting", "store", "threads", "api")
                .whereLayer("hold")
                .mayOnlyAccessLayers("client", "waiting", "store", "threads", "api")
                .whereLayer("client")
                .mayOnlyAccessLayers("waiting", "store", "threads", "api")
                .whereLayer("acquire")
                .mayOnlyBeAccessedByLayers("engine")
                .whereLayer("hold")
                .mayOnlyBeAccessedByLayers("engine", "acquire")
                .check(CLASSES);
    }

    @Test
    void every_class_is_in_a_known_package() {
        classes()
                .should()
                .resideInAnyPackage(
                        BASE + "api",
                        BASE + "threads",
                        BASE + "store..",
                        BASE + "redis",
                        BASE + "redis.driver..",
                        BASE + "memory",
                        BASE + "quorum",
                        BASE + "waiting",
                        BASE + "leader",
                        BASE + "engine..")
                .check(CLASSES);
    }

    @Test
    void each_package_shows_its_doors_and_nothing_else() {
        DOORS.forEach((name, doors) -> {
            Set<String> shown = CLASSES.stream()
                    .filter(type -> type.getPackageName().equals(BASE + name))
                    .filter(type ->
                            type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                    .map(JavaClass::getSimpleName)
                    .filter(type -> !type.equals("package-info"))
                    .collect(Collectors.toSet());
            assertThat(shown).as("doors of " + name).isEqualTo(doors);
        });
    }

    @Test
    void signatures_of_public_types_name_public_types_only() {
        methods()
                .that()
                .arePublic()
                .and(describe("belong to public types", method -> isReachable(method.getOwner())))
                .should(onlyNamePublicTypes())
                .check(CLASSES);
    }

    private static ArchCondition<JavaMethod> onlyNamePublicTypes() {
        return ArchCondition.from(describe(
                "name public types only",
                method -> Stream.concat(Stream.of(method.getReturnType()), method.getParameterTypes().stream())
                        .flatMap(type -> type.getAllInvolvedRawTypes().stream())
                        .allMatch(ArchitectureTest::isPublic)));
    }

    private static boolean isReachable(JavaClass type) {
        return isPublic(type)
                && type.getEnclosingClass().map(ArchitectureTest::isReachable).orElse(true);
    }

    /** A public type inside of one that is not is reached by the public subtypes of that, if there are any. */
    private static boolean isPublic(JavaClass type) {
        JavaClass itself = type.getBaseComponentType();
        return itself.isPrimitive() || itself.getModifiers().contains(JavaModifier.PUBLIC);
    }

    @ParameterizedTest
    @ValueSource(strings = {"threads", "store", "redis", "memory", "quorum", "waiting", "leader", "engine", "api"})
    void files_form_no_cycle(String packages) {
        SlicesRuleDefinition.slices()
                .assignedFrom(files(BASE + packages))
                .should()
                .beFreeOfCycles()
                .ignoreDependency( // a view is made by the client that it is a view of
                        HasName.Predicates.name(BASE + "engine.LockEngine"),
                        HasName.Predicates.name(BASE + "engine.RemoteLockView"))
                .check(CLASSES);
    }

    /** A class and its builder are one; so are a hold, its handles, the records and the watchdog. */
    private static SliceAssignment files(String packages) {
        return new SliceAssignment() {
            @Override
            public SliceIdentifier getIdentifierOf(JavaClass type) {
                if (type.getPackageName().equals(BASE + "engine.hold")) {
                    return SliceIdentifier.of("hold");
                }
                return type.getPackageName().startsWith(packages)
                        ? SliceIdentifier.of(type.getName().replaceFirst("(Builder)?(\\$.*)?$", ""))
                        : SliceIdentifier.ignore();
            }

            @Override
            public String getDescription() {
                return "files of " + packages;
            }
        };
    }

    @Test
    void only_the_redis_packages_know_redis_and_spring() {
        noClasses()
                .that()
                .resideOutsideOfPackage(BASE + "redis..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.springframework..", "redis.clients..", "io.lettuce..")
                .check(CLASSES);
    }

    /** An application has one of them, as a rule. */
    @Test
    void each_driver_is_known_to_classes_of_its_own_only() {
        onlyKnownTo(
                "JedisConnections|LettuceApplication|ServerConnections",
                "redis.clients..",
                "org.springframework.data.redis.connection.jedis..");
        onlyKnownTo("LettuceApplication", "io.lettuce..", "org.springframework.data.redis.connection.lettuce..");
    }

    private static void onlyKnownTo(String owners, String... packages) {
        noClasses()
                .that()
                .haveNameNotMatching(".*\\.redis\\.driver\\.(" + owners + ")(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages)
                .check(CLASSES);
    }

    @Test
    void threads_are_made_in_one_place_so_that_none_inherits_anything() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(DaemonThreads.class)
                .should()
                .callConstructorWhere(target(owner(assignableTo(Thread.class))))
                .check(CLASSES);
    }

    @Test
    void the_core_does_not_know_spring_boot() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.boot..")
                .check(CLASSES);
    }
}
