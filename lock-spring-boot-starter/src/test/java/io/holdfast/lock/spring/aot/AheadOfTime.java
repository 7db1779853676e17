package io.holdfast.lock.spring.aot;

import java.util.function.Consumer;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.Compiled;
import org.springframework.core.test.tools.TestCompiler;

/** Applications as their build processes them ahead of time, and as they then run, on the JVM. */
final class AheadOfTime {

    private AheadOfTime() {}

    /** What a native image is told of an application. */
    static RuntimeHints hintsOf(Class<?> application, String... properties) {
        TestGenerationContext generation = new TestGenerationContext();
        process(application, generation, properties);
        return generation.getRuntimeHints();
    }

    /**
     * Builds an application ahead of time and starts it from what was generated. The test needs
     * {@link org.springframework.core.test.tools.CompileWithForkedClassLoader}, since generated classes share packages with
     * ours.
     */
    static void run(Class<?> application, Consumer<ConfigurableApplicationContext> body, String... properties) {
        run(application, body, properties, properties);
    }

    /** As above, with other properties at the build than when the application runs. */
    static void run(
            Class<?> application, Consumer<ConfigurableApplicationContext> body, String[] built, String[] properties) {
        TestGenerationContext generation = new TestGenerationContext();
        String initializer = process(application, generation, built);
        generation.writeGeneratedContent();
        TestCompiler.forSystem().with(generation).compile(compiled -> start(compiled, initializer, body, properties));
    }

    private static String process(Class<?> application, TestGenerationContext generation, String... properties) {
        return TestPropertyValues.of("spring.aot.processing=true").applyToSystemProperties(() -> {
            try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
                TestPropertyValues.of(properties).applyTo(context);
                context.register(application);
                return new ApplicationContextAotGenerator()
                        .processAheadOfTime(context, generation)
                        .toString();
            }
        });
    }

    @SuppressWarnings("unchecked")
    private static void start(
            Compiled compiled,
            String initializer,
            Consumer<ConfigurableApplicationContext> body,
            String... properties) {
        TestPropertyValues.of("spring.aot.enabled=true").applyToSystemProperties(() -> {
            try (GenericApplicationContext context = new GenericApplicationContext()) {
                TestPropertyValues.of(properties).applyTo(context);
                compiled.getInstance(ApplicationContextInitializer.class, initializer)
                        .initialize(context);
                context.refresh();
                body.accept(context);
            }
            return null;
        });
    }
}
