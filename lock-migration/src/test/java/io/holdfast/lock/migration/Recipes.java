package io.holdfast.lock.migration;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;

/** The recipes that users run, and a parser that knows the libraries that the sources in the tests of recipes use. */
public final class Recipes {

    private Recipes() {}

    public static RecipeSpec use(RecipeSpec spec, String recipe) {
        return spec.recipeFromResource("/META-INF/rewrite/holdfast.yml", "io.holdfast.lock.migration." + recipe)
                .parser(parser());
    }

    public static JavaParser.Builder<?, ?> parser() {
        return new OneForAll();
    }

    /** A new parser would index the class path again, which takes longer than most tests. */
    private static final class OneForAll extends JavaParser.Builder<JavaParser, OneForAll> {

        private static @Nullable JavaParser parser;

        @Override
        public JavaParser build() {
            JavaParser built = parser == null ? create() : parser.reset();
            parser = built;
            return built;
        }

        private static JavaParser create() {
            return JavaParser.fromJavaVersion()
                    .classpath(JavaParser.dependenciesFromClasspath(
                            "lock4j-core",
                            "lock4j-redis-template-spring-boot-starter",
                            "redisson",
                            "shedlock-core",
                            "shedlock-spring",
                            "shedlock-provider-redis-spring",
                            "spring-aop",
                            "spring-beans",
                            "spring-context",
                            "spring-core",
                            "spring-data-redis",
                            "spring-integration-core",
                            "spring-integration-redis",
                            "spring-messaging"))
                    .build();
        }
    }
}
