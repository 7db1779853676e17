package io.holdfast.lock.redis.driver.jedis;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import redis.clients.jedis.BinaryJedisPubSub;
import redis.clients.jedis.Connection;
import redis.clients.jedis.UnifiedJedis;

/**
 * One subscription on one connection, which it takes from its pool for good. The thread that subscribes reads from the socket
 * without a timeout, so nothing but the end of that socket brings it back from a server that hangs.
 */
final class JedisSubscriber extends JedisConnection {

    private final Connection connection;

    JedisSubscriber(Connection connection) {
        super(new Reader(connection));
        this.connection = connection;
    }

    /** Spring Data's client would borrow a connection by itself, and not say which. */
    private static final class Reader extends UnifiedJedis {

        private final Connection connection;

        Reader(Connection connection) {
            super(null, connection.getRedisProtocol());
            this.connection = connection;
        }

        @Override
        public void subscribe(BinaryJedisPubSub messages, byte[]... channels) {
            messages.proceed(connection, channels);
        }
    }

    void breakOff() {
        try {
            connection.forceDisconnect();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Without an UNSUBSCRIBE: its answer, or messages that came before it, would be taken for those to the next command. */
    @Override
    public void close() {
        connection.setBroken();
        connection.close();
    }
}
