package io.holdfast.lock.migration.lock4j;

import static org.openrewrite.java.Assertions.java;
import static org.openrewrite.properties.Assertions.properties;
import static org.openrewrite.yaml.Assertions.yaml;

import io.holdfast.lock.migration.Recipes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;

class FromLock4jTest implements RewriteTest {

    private static final String STRATEGIES = """

                class Silence implements com.baomidou.lock.LockFailureStrategy {
                    public void onLockFailure(String key, java.lang.reflect.Method method, Object[] arguments) {}
                }

                class Keys implements com.baomidou.lock.LockKeyBuilder {
                    public String buildKey(org.aopalliance.intercept.MethodInvocation invocation, String[] keys) {
                        return "a";
                    }
                }

                class Noise implements com.baomidou.lock.LockFailureStrategy {
                    public void onLockFailure(String key, java.lang.reflect.Method method, Object[] arguments) {
                        throw new IllegalStateException(key);
                    }
                }
            """;

    @Override
    public void defaults(RecipeSpec spec) {
        Recipes.use(spec, "FromLock4j");
    }

    private static String shop(String imports, String annotation, String rest) {
        return imports + """

                class Shop {
                    static final long EXPIRE = 1500;
                    static final String KIND = "'kind'";

                    %s
                    void order(long id) {}
                %s}
                """.formatted(annotation, rest);
    }

    private static final String LOCK4J = "import com.baomidou.lock.annotation.Lock4j;\n";
    private static final String HOLDFAST = "import io.holdfast.lock.spring.annotation.DistributedLock;\n";

    private void becomes(String former, String migrated, String imports) {
        rewriteRun(java(
                shop(LOCK4J, "@Lock4j" + former, ""),
                shop(HOLDFAST + imports, "@DistributedLock(" + migrated + ")", "")));
    }

    @Test
    void names_and_keys_are_taken() {
        becomes("(name = \"order\", keys = \"#id\")", "name = \"order\", key = \"#id\", waitFor = 3", "");
        becomes(
                "(name = \"order\", keys = {\"#id\", \"#id\"})",
                "name = \"order\", key = \"parts(#id, #id)\", waitFor = 3",
                "");
        becomes("(keys = {\"#id\"})", "name = \"Shop.order\", key = \"#id\", waitFor = 3", "");
        becomes(
                "(keys = {\"#id\", \"\", Shop.KIND})",
                "name = \"Shop.order\", key = \"parts(#id, 'kind')\", waitFor = 3",
                "");
        becomes("(name = \"order\", keys = {\"\"})", "name = \"order\", waitFor = 3", "");
    }

    @Test
    void method_without_a_name_has_that_of_class_and_method() {
        becomes("", "name = \"Shop.order\", waitFor = 3", "");
        becomes("(keys = \"#id\")", "name = \"Shop.order\", key = \"#id\", waitFor = 3", "");
    }

    @Test
    void expire_is_a_lease_that_ends() {
        becomes(
                "(name = \"a\", expire = 10_000, acquireTimeout = 0)",
                "name = \"a\", lease = 10, renew = false, waitFor = 0",
                "");
    }

    @Test
    void times_that_are_not_in_whole_seconds_stay_in_milliseconds() {
        String unit = "\nimport java.util.concurrent.TimeUnit;\n";
        becomes(
                "(name = \"a\", expire = 10_000, acquireTimeout = 1_500)",
                "name = \"a\", lease = 10_000, renew = false, waitFor = 1_500, timeUnit = TimeUnit.MILLISECONDS",
                unit);
        becomes(
                "(name = \"a\", expire = EXPIRE)",
                "name = \"a\", lease = EXPIRE, renew = false, waitFor = 3_000, timeUnit = TimeUnit.MILLISECONDS",
                unit);
    }

    @Test
    void negative_times_are_defaults() {
        becomes("(name = \"a\", expire = -1, acquireTimeout = -1)", "name = \"a\", waitFor = 3", "");
        becomes("(name = \"a\", expire = 0)", "name = \"a\", waitFor = 3", "");
    }

    @Test
    void lock_that_is_not_released_is_held_for_a_minimum() {
        becomes("(name = \"a\", expire = 60_000, autoRelease = false)", "name = \"a\", minHold = 60, waitFor = 3", "");
    }

    @Test
    void strategy_that_does_nothing_skips() {
        rewriteRun(java(
                shop(LOCK4J, "@Lock4j(name = \"a\", failStrategy = Shop.Silence.class)", STRATEGIES),
                shop(
                        HOLDFAST + "import io.holdfast.lock.spring.annotation.OnContention;\n",
                        "@DistributedLock(name = \"a\", waitFor = 3, onContention = OnContention.SKIP)",
                        marked(STRATEGIES))));
    }

    private static String marked(String strategies) {
        return strategies
                .replace("    class Silence", STRATEGY + "    class Silence")
                .replace("    class Keys", KEY_BUILDER + "    class Keys");
    }

    private static final String STRATEGY =
            "    // Holdfast: migrated methods do not call strategies; see docs/migration/lock4j.md#failstrategy\n";
    private static final String KEY_BUILDER =
            "    // Holdfast: migrated methods do not call key builders; see docs/migration/lock4j.md#keybuilderstrategy\n";

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    failStrategy = Shop.Noise.class | migrate its failStrategy | failstrategy
                    keyBuilderStrategy = Shop.Keys.class | migrate its keyBuilderStrategy | keybuilderstrategy
                    executor = com.baomidou.lock.executor.AbstractLockExecutor.class | an application has one store, not an executor per method | what-else-is-different
                    expire = 99 | a lease must last at least 100 ms | keys-expire-acquiretimeout
                    autoRelease = false | specify for how long it keeps others out | autorelease--false
                    keys = {"#id", javax.xml.XMLConstants.XML_NS_PREFIX} | join its keys with parts(…), with the text of constants from other files | keys-expire-acquiretimeout
                    name = "a:b" | a name must not contain a colon | keys-expire-acquiretimeout
                    """)
    void what_has_no_counterpart_is_left_and_marked(String attribute, String reason, String anchor) {
        String annotation = "@Lock4j(" + attribute + ")";
        String note = "// Holdfast: this method is still locked by Lock4j: " + reason
                + "; see docs/migration/lock4j.md#" + anchor + "\n    ";
        rewriteRun(java(shop(LOCK4J, annotation, STRATEGIES), shop(LOCK4J, note + annotation, marked(STRATEGIES))));
    }

    @Test
    void strategies_that_are_the_default_are_none() {
        becomes(
                "(name = \"a\", failStrategy = com.baomidou.lock.LockFailureStrategy.class)",
                "name = \"a\", waitFor = 3",
                "");
        becomes(
                "(name = \"a\", keyBuilderStrategy = com.baomidou.lock.DefaultLockKeyBuilder.class)",
                "name = \"a\", waitFor = 3",
                "");
        becomes(
                "(name = \"a\", executor = com.baomidou.lock.executor.RedisTemplateLockExecutor.class)",
                "name = \"a\", waitFor = 3",
                "");
    }

    @Test
    void imports_of_defaults_go_with_the_annotation() {
        String imports = """
                import com.baomidou.lock.DefaultLockKeyBuilder;
                import com.baomidou.lock.executor.RedisTemplateLockExecutor;
                """;
        String defaults =
                "keyBuilderStrategy = DefaultLockKeyBuilder.class, executor = RedisTemplateLockExecutor.class";
        rewriteRun(java(
                shop(imports + LOCK4J, "@Lock4j(name = \"a\", acquireTimeout = 0, " + defaults + ")", ""),
                shop(HOLDFAST, "@DistributedLock(name = \"a\", waitFor = 0)", "")));
    }

    @Test
    void default_wait_is_written_out_unless_a_file_of_the_application_sets_it() {
        String former = shop(LOCK4J, "@Lock4j(name = \"a\")", "");
        String written = shop(HOLDFAST, "@DistributedLock(name = \"a\", waitFor = 3)", "");
        String left = shop(HOLDFAST, "@DistributedLock(name = \"a\")", "");

        rewriteRun(java(former, left), yaml("lock4j:\n  acquire-timeout: 2000\n", "holdfast.wait-for: 2000ms\n"));
        rewriteRun(java(former, left), properties("lock4j.acquireTimeout=2000\n", "holdfast.wait-for=2000ms\n"));
        rewriteRun(java(former, left), yaml("holdfast:\n  wait-for: 2s\n"));
        rewriteRun(java(former, written), yaml("lock4j:\n  expire: 2000\n", "holdfast.lease: 2000ms\n"));
        rewriteRun(
                java(former, written),
                properties(
                        "lock4j.acquire-timeout=2000\n",
                        "holdfast.wait-for=2000ms\n",
                        spec -> spec.path("src/test/resources/application.properties")));
    }

    /** The annotation has more attributes in versions that are not released yet. */
    @Test
    void unknown_attribute_is_left_and_marked() {
        rewriteRun(
                spec -> spec.parser(JavaParser.fromJavaVersion().dependsOn("""
                                package com.baomidou.lock.annotation;

                                public @interface Lock4j {
                                    String condition() default "";
                                }
                                """)),
                java(
                        shop(LOCK4J, "@Lock4j(condition = \"#id > 0\")", ""),
                        shop(
                                LOCK4J,
                                "// Holdfast: this method is still locked by Lock4j: migrate its condition; see docs/migration/lock4j.md#what-else-is-different\n    @Lock4j(condition = \"#id > 0\")",
                                "")));
    }

    @Test
    void type_of_an_application_in_a_package_below_is_not_marked() {
        rewriteRun(
                java("package com.baomidou.lock.shop;\n\npublic class Order {}\n"),
                java("class Shop {\n    com.baomidou.lock.shop.Order order;\n}\n"));
    }

    @Test
    void composed_annotation_is_left_and_marked() {
        String former = LOCK4J + "\n@Lock4j(name = \"a\")\n@interface Locked {}\n";
        rewriteRun(
                java(
                        former,
                        former.replace(
                                "@Lock4j(",
                                "// Holdfast: a composed annotation is not migrated, so its methods are still locked by Lock4j; see docs/migration/lock4j.md#keys-expire-acquiretimeout\n@Lock4j(")));
    }
}
