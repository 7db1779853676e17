package io.holdfast.lock.spring.container;

import io.holdfast.lock.spring.autoconfigure.LockConnectionDetails;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.docker.compose.core.RunningService;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionDetailsFactory;
import org.springframework.boot.docker.compose.service.connection.DockerComposeConnectionSource;
import org.springframework.boot.ssl.SslBundle;

/**
 * Creates {@link LockConnectionDetails} for a Docker Compose service whose image, or label {@code
 * org.springframework.boot.service-connection}, is one of the {@link ConnectionNames}.
 */
final class ComposeLockConnectionDetailsFactory extends DockerComposeConnectionDetailsFactory<LockConnectionDetails> {

    ComposeLockConnectionDetailsFactory() {
        super(ConnectionNames.accepted());
    }

    @Override
    protected LockConnectionDetails getDockerComposeConnectionDetails(DockerComposeConnectionSource source) {
        return new Details(source.getRunningService());
    }

    private static final class Details extends DockerComposeConnectionDetails implements LockConnectionDetails {

        private final Standalone server;
        private final @Nullable SslBundle bundle;

        Details(RunningService service) {
            super(service);
            this.server = new Standalone(service.host(), service.ports().get(ConnectionNames.REDIS_PORT), 0);
            this.bundle = getSslBundle(service);
        }

        @Override
        public Standalone getStandalone() {
            return server;
        }

        @Override
        public @Nullable SslBundle getSslBundle() {
            return bundle;
        }
    }
}
