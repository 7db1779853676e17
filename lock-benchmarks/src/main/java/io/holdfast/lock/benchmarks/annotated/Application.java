package io.holdfast.lock.benchmarks.annotated;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.autoconfigure.LockAopAutoConfiguration;
import io.holdfast.lock.spring.autoconfigure.LockAutoConfiguration;
import io.holdfast.lock.spring.autoconfigure.LockTransactionAutoConfiguration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;

/** An application with the starter, and locks in memory: no network hides what a call costs. */
@State(Scope.Benchmark)
public class Application {

    /** As an application has it that has no metrics, nor endpoints. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        LockAutoConfiguration.class,
        LockAopAutoConfiguration.class,
        LockTransactionAutoConfiguration.class
    })
    static class Starter {}

    private @Nullable AnnotationConfigApplicationContext context;
    private @Nullable Orders orders;
    private @Nullable LockTemplate template;

    @Setup(Level.Trial)
    public void start() {
        AnnotationConfigApplicationContext started = new AnnotationConfigApplicationContext();
        started.registerBean(InMemoryLockStore.class);
        started.registerBean(Orders.class);
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
