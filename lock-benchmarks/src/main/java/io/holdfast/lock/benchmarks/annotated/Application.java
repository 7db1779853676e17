package io.holdfast.lock.benchmarks.annotated;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.memory.InMemoryLockStore;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.util.ClassUtils;

/** An application with the starter, and locks in memory: no network hides what a call costs. */
@State(Scope.Benchmark)
public class Application {

    private @Nullable AnnotationConfigApplicationContext context;
    private @Nullable Orders orders;
    private @Nullable LockTemplate template;

    @Setup(Level.Trial)
    public void start() {
        AnnotationConfigApplicationContext started = new AnnotationConfigApplicationContext();
        started.registerBean(InMemoryLockStore.class);
        started.registerBean(Orders.class);
        started.register(starter());
        started.refresh();
        context = started;
        orders = started.getBean(Orders.class);
        template = started.getBean(LockTemplate.class);
    }

    private static Class<?>[] starter() {
        ClassLoader loader = Application.class.getClassLoader();
        return StreamSupport.stream(
                        ImportCandidates.load(AutoConfiguration.class, loader).spliterator(), false)
                .filter(name -> name.startsWith("io.holdfast."))
                .map(name -> ClassUtils.resolveClassName(name, loader))
                .toArray(Class<?>[]::new);
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
