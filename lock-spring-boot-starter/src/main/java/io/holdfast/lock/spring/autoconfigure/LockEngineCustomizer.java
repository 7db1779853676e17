package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.engine.LockEngineBuilder;

/**
 * Changes the application's lock client before it is built. Beans of this type are asked in their order, after the starter
 * has set what {@code holdfast.*} says.
 *
 * <pre>{@code
 * @Bean
 * LockEngineCustomizer lockThreads() {
 *     SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("locks-"); // begin the work of executeAsync
 *     threads.setTaskDecorator(new ContextPropagatingTaskDecorator());
 *     return builder -> builder.executor(threads);
 * }
 * }</pre>
 */
@FunctionalInterface
public interface LockEngineCustomizer {

    /**
     * Changes the client. Called once, at startup.
     *
     * @param builder of the {@link io.holdfast.lock.api.LockTemplate} bean
     */
    void customize(LockEngineBuilder builder);
}
