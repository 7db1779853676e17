package io.holdfast.lock.benchmarks.annotated;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.memory.InMemoryLockStore;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.boot.autoconfigure.AutoConfigurationImportSelector;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.core.type.AnnotationMetadata;

/** An application with the starter, and locks in memory: no network hides what a call costs. */
@State(Scope.Benchmark)
public class Application {

    /** The modules that the application uses besides the starter. */
    public enum Beside {
        NOTHING,
        ACTUATOR
    }

    /** The whole starter, as in an application. */
    @Configuration(proxyBeanMethods = false)
    @Import(Ours.class)
    static class Starter {}

    /** Meters and observations, as Spring Boot configures them. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        MetricsAutoConfiguration.class,
        CompositeMeterRegistryAutoConfiguration.class,
        SimpleMetricsExportAutoConfiguration.class,
        ObservationAutoConfiguration.class
    })
    static class Actuator {}

    /** The starter's auto-configurations, in the order that they require. */
    static final class Ours extends AutoConfigurationImportSelector {

        @Override
        protected List<String> getCandidateConfigurations(
                AnnotationMetadata metadata, @Nullable AnnotationAttributes attributes) {
            return super.getCandidateConfigurations(metadata, attributes).stream()
                    .filter(name -> name.startsWith("io.holdfast."))
                    .toList();
        }

        @Override
        protected @Nullable AnnotationAttributes getAttributes(AnnotationMetadata metadata) {
            return new AnnotationAttributes();
        }

        @Override
        protected Set<String> getExclusions(AnnotationMetadata metadata, @Nullable AnnotationAttributes attributes) {
            return Set.of();
        }
    }

    @Param
    private Beside beside = Beside.NOTHING;

    private @Nullable AnnotationConfigApplicationContext context;
    private @Nullable Orders orders;
    private @Nullable LockTemplate template;

    @Setup(Level.Trial)
    public void start() {
        AnnotationConfigApplicationContext started = new AnnotationConfigApplicationContext();
        started.registerBean(InMemoryLockStore.class);
        started.registerBean(Orders.class);
        if (beside == Beside.ACTUATOR) {
            started.register(Actuator.class);
        }
        started.register(Starter.class);
        started.refresh();
        context = started;
        orders = started.getBean(Orders.class);
        template = started.getBean(LockTemplate.class);
    }

    @TearDown(Level.Trial)
    public void stop() {
        Objects.requireNonNull(context).close();
    }

    Orders orders() {
        return Objects.requireNonNull(orders);
    }

    LockTemplate template() {
        return Objects.requireNonNull(template);
    }
}
