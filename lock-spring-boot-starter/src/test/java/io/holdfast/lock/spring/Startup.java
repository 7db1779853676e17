package io.holdfast.lock.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** What a user reads when an application does not start. */
public final class Startup {

    private Startup() {}

    /** The description and action of the first analyzer that knows the failure, in Boot's order. */
    public static String failureOf(AssertableApplicationContext context) {
        return failureOf(
                context, SpringFactoriesLoader.ArgumentResolver.of(Environment.class, new StandardEnvironment()));
    }

    /** Includes the analyzers that look at the beans or properties of the context, which has failed and is closed. */
    public static String failureOf(AssertableApplicationContext context, ConfigurableApplicationContext source) {
        return failureOf(
                context,
                SpringFactoriesLoader.ArgumentResolver.of(Environment.class, source.getEnvironment())
                        .and(BeanFactory.class, source.getBeanFactory()));
    }

    private static String failureOf(
            AssertableApplicationContext context, SpringFactoriesLoader.ArgumentResolver arguments) {
        assertThat(context).hasFailed();
        Throwable failure = context.getStartupFailure();
        List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, arguments, SpringFactoriesLoader.FailureHandler.logging(silent()));
        FailureAnalysis analysis = analyzers.stream()
                .map(each -> each.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow(() -> new AssertionError("No analyzer knows this failure", failure));
        return analysis.getDescription() + "\n" + analysis.getAction();
    }

    private static org.apache.commons.logging.Log silent() {
        return new org.apache.commons.logging.impl.NoOpLog();
    }
}
