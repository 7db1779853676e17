package io.holdfast.lock.testing;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A running redis-server: a process started from an executable, or, with {@code -Dholdfast.test.image=…}, a container
 * of that image.
 */
interface RunningRedis {

    /**
     * Starts it, without waiting for it to respond.
     *
     * @param directory where it writes
     * @param environment variables in addition to those of this JVM; empty for a container
     * @throws IllegalStateException if it has already ended
     */
    static RunningRedis launch(Path directory, List<String> arguments, Map<String, String> environment) {
        return System.getProperty(RedisContainer.IMAGE_PROPERTY) == null
                ? RedisExecutable.launch(directory, arguments, environment)
                : RedisContainer.launch(directory, arguments);
    }

    boolean isAlive();

    /** Suspends it: it hangs, and its connections stay open. */
    void pause();

    void resume();

    /** May return before it has ended. */
    void kill();
}
