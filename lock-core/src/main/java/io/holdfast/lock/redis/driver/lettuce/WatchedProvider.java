package io.holdfast.lock.redis.driver.lettuce;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionProvider;

/**
 * Notices for each connection by itself that it was lost. A client reports the losses of all its connections, and those that are
 * closed while they are being made again, late: a flag for all would have such a report end the next connection, too, whose
 * own close may be late again.
 *
 * <p>A connection that is lost before it is watched is detected by checking its state.
 */
final class WatchedProvider implements LettuceConnectionProvider {

    private final LettuceConnectionProvider provider;
    private final Supplier<Watch> watches;

    /** @param watches makes one for each connection, before anybody gets it */
    WatchedProvider(LettuceConnectionProvider provider, Supplier<Watch> watches) {
        this.provider = provider;
        this.watches = watches;
    }

    /** Whether one connection was lost. */
    static final class Watch implements RedisConnectionStateListener {

        private final Runnable onLoss;
        private volatile boolean lost;

        /** @param onLoss runs when it is known */
        Watch(Runnable onLoss) {
            this.onLoss = onLoss;
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
            lost = true;
            onLoss.run();
        }

        boolean isLost() {
            return lost;
        }
    }

    private <T extends StatefulConnection<?, ?>> T watch(T connection) {
        Watch watch = watches.get();
        connection.addListener(watch);
        if (!connection.isOpen()) {
            watch.lost = true;
        }
        return connection;
    }

    @Override
    public <T extends StatefulConnection<?, ?>> T getConnection(Class<T> connectionType) {
        return watch(provider.getConnection(connectionType));
    }

    @Override
    public <T extends StatefulConnection<?, ?>> CompletionStage<T> getConnectionAsync(Class<T> connectionType) {
        return provider.getConnectionAsync(connectionType).thenApply(this::watch);
    }

    @Override
    public void release(StatefulConnection<?, ?> connection) {
        provider.release(connection);
    }

    @Override
    public CompletableFuture<Void> releaseAsync(StatefulConnection<?, ?> connection) {
        return provider.releaseAsync(connection);
    }
}
