package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.engine.LockEngineBuilder;

/**
 * Customizes the application's lock client before it is built. Beans of this type are called in the order given by {@code @Order}, after
 * the starter has applied {@code holdfast.*}.
 *
 * <pre>{@code
 * @Bean
 * LockEngineBuilderCustomizer lockThreads() {
 *     SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("locks-"); // start the work of executeAsync
 *     threads.setTaskDecorator(new ContextPropagatingTaskDecorator());
 *     return builder -> builder.executor(threads);
 * }
 * }</pre>
 */
@FunctionalInterface
public interface LockEngineBuilderCustomizer {

    /**
     * Customizes the client. Called once, when the client is built.
     *
     * @param builder the builder of the {@link io.holdfast.lock.api.LockTemplate} bean
     */
    void customize(LockEngineBuilder builder);
}
