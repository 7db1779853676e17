package io.holdfast.lock.testing;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A redis-server as the system runs it: a process of an executable, or, with {@code -Dholdfast.test.image=…}, a container
 * of that image.
 */
interface RunningRedis {

    /**
     * Starts it, and does not wait until it answers.
     *
     * @param directory where it writes
     * @param environment more of it than this JVM's own; empty for a container
     * @throws IllegalStateException it has ended already
     */
    static RunningRedis launch(Path directory, List<String> arguments, Map<String, String> environment) {
        return System.getProperty(RedisContainer.IMAGE_PROPERTY) == null
                ? RedisExecutable.launch(directory, arguments, environment)
                : RedisContainer.launch(directory, arguments);
    }

    boolean isAlive();

    /** Stops it without its noticing: it hangs, and its connections stay open. */
    void pause();

    void resume();

    /** Need not wait for its end. */
    void kill();
}
