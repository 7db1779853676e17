package io.holdfast.lock.migration;

import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;

/** The recipes that users run, and a parser that knows the classes of this module's tests. */
public final class Recipes {

    private Recipes() {}

    public static RecipeSpec use(RecipeSpec spec, String recipe) {
        return spec.recipeFromResources("io.holdfast.lock.migration." + recipe).parser(parser());
    }

    public static JavaParser.Builder<?, ?> parser() {
        return JavaParser.fromJavaVersion().classpath(JavaParser.runtimeClasspath());
    }
}
