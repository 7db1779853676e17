package io.holdfast.lock.testing;

import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.Volume;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.testcontainers.containers.ContainerLaunchException;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.utility.DockerImageName;

/**
 * A redis-server in a container that uses the host network, so that it has the port it was given, and the servers of a
 * cluster, or sentinels, find each other at the addresses that clients use.
 */
final class RedisContainer implements RunningRedis {

    /** The property that specifies the image; without it, no containers are used. */
    static final String IMAGE_PROPERTY = "holdfast.test.image";

    private static final DockerImageName IMAGE = fetch(System.getProperty(IMAGE_PROPERTY));

    private final GenericContainer<?> container;

    private RedisContainer(GenericContainer<?> container) {
        this.container = container;
    }

    /** Called once for all servers: a missing image or engine must not look like a server without TLS. */
    private static DockerImageName fetch(String image) {
        return DockerImageName.parse(new GenericContainer<>(DockerImageName.parse(image)).getDockerImageName());
    }

    /** @param arguments the server's arguments; their files are in directories that it may write to, like its own directory */
    static RedisContainer launch(Path directory, List<String> arguments) {
        String user = owner(directory);
        List<Bind> mounts = Stream.concat(Stream.of(directory), directories(arguments))
                .distinct()
                .map(Path::toString)
                .map(path -> new Bind(path, new Volume(path)))
                .toList();
        // Not the image's entry point, which would run the server as a user that may not read these directories. They
        // are mounted here, since withFileSystemBind needs one of Testcontainers' own images to find out whether it
        // can mount them.
        GenericContainer<?> container = new GenericContainer<>(IMAGE)
                .withNetworkMode("host")
                .withWorkingDirectory(directory.toString())
                .withCommand(arguments.toArray(String[]::new))
                .withCreateContainerCmdModifier(create -> {
                    create.withEntrypoint("redis-server").withUser(user);
                    create.getHostConfig().withBinds(mounts);
                });
        try {
            container.start();
        } catch (ContainerLaunchException e) {
            throw new IllegalStateException("The container of " + IMAGE + " exited on startup", e);
        }
        return new RedisContainer(container);
    }

    private static String owner(Path directory) {
        try {
            return Files.getAttribute(directory, "unix:uid") + ":" + Files.getAttribute(directory, "unix:gid");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<Path> directories(List<String> arguments) {
        return arguments.stream().map(Path::of).filter(Path::isAbsolute).map(Path::getParent);
    }

    @Override
    public boolean isAlive() {
        return container.isRunning();
    }

    @Override
    public void pause() {
        signal("STOP");
    }

    @Override
    public void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        container
                .getDockerClient()
                .killContainerCmd(container.getContainerId())
                .withSignal(name)
                .exec();
    }

    @Override
    public void kill() {
        container.stop();
    }
}
