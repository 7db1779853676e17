package io.holdfast.lock.sample.redis;

import java.nio.file.Path;
import java.util.Properties;

/**
 * An embedded server, as the instances tell each other.
 *
 * @param port on 127.0.0.1
 * @param pid of redis-server
 * @param startedBy the process id of the instance that started it
 * @param alive the pipe that keeps the server alive while somebody has it open
 */
record RedisAddress(int port, long pid, long startedBy, Path alive) {

    static RedisAddress of(Properties properties) {
        return new RedisAddress(
                Integer.parseInt(properties.getProperty("port")),
                Long.parseLong(properties.getProperty("pid")),
                Long.parseLong(properties.getProperty("startedBy")),
                Path.of(properties.getProperty("alive")));
    }

    Properties toProperties() {
        Properties properties = new Properties();
        properties.setProperty("host", "127.0.0.1");
        properties.setProperty("port", String.valueOf(port));
        properties.setProperty("pid", String.valueOf(pid));
        properties.setProperty("startedBy", String.valueOf(startedBy));
        properties.setProperty("alive", alive.toString());
        return properties;
    }
}
