package io.holdfast.lock.spring.container;

import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;
import org.testcontainers.containers.Container;

/**
 * Creates {@link LockConnectionDetails} for a container with {@code @ServiceConnection(type = LockConnectionDetails.class)},
 * regardless of its image, or with one of the {@link ConnectionNames}.
 */
final class ContainerLockConnectionDetailsFactory
        extends ContainerConnectionDetailsFactory<Container<?>, LockConnectionDetails> {

    ContainerLockConnectionDetailsFactory() {
        super(List.of(ConnectionNames.accepted()));
    }

    @Override
    protected boolean sourceAccepts(
            ContainerConnectionSource<Container<?>> source, Class<?> containerType, Class<?> detailsType) {
        return namesItsType(source, containerType) || super.sourceAccepts(source, containerType, detailsType);
    }

    /** A source without types accepts every type. The list of its types is not public in Spring Boot 4.0. */
    private static boolean namesItsType(ContainerConnectionSource<?> source, Class<?> containerType) {
        return source.accepts(null, containerType, LockConnectionDetails.class)
                && !source.accepts(null, containerType, ConnectionDetails.class);
    }

    @Override
    protected LockConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<Container<?>> source) {
        return new Details(source);
    }

    private static final class Details extends ContainerConnectionDetails<Container<?>>
            implements LockConnectionDetails {

        Details(ContainerConnectionSource<Container<?>> source) {
            super(source);
        }

        @Override
        public Standalone getStandalone() {
            int port = getContainer().getMappedPort(ConnectionNames.REDIS_PORT);
            return new Standalone(getContainer().getHost(), port, 0);
        }

        @Override
        public @Nullable SslBundle getSslBundle() {
            return super.getSslBundle();
        }
    }
}
