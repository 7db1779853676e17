package io.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedisServerProcessTest {

    private SomebodyElse somebodyElse;

    @Test
    void server_of_somebody_else_on_the_port_is_not_taken_for_the_own_one() {
        try (RedisServerProcess server = RedisServerProcess.start(port -> {
            if (somebodyElse == null) {
                somebodyElse = new SomebodyElse(port);
            }
            return List.of();
        })) {
            assertThat(server.port()).isNotEqualTo(somebodyElse.port());
        } finally {
            somebodyElse.close();
        }
    }

    /** Replies to each connection, as a Redis that somebody else has started on a port between our look and our use of it. */
    private static final class SomebodyElse implements AutoCloseable {

        private final ServerSocket socket;

        SomebodyElse(int port) {
            try {
                socket = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            Thread thread = new Thread(this::reply, "somebody-else");
            thread.setDaemon(true);
            thread.start();
        }

        int port() {
            return socket.getLocalPort();
        }

        private void reply() {
            while (!socket.isClosed()) {
                try (Socket connection = socket.accept()) {
                    connection.getOutputStream().write("+PONG\r\n".getBytes(StandardCharsets.US_ASCII));
                } catch (IOException closed) {
                    // the next round ends
                }
            }
        }

        @Override
        public void close() {
            try {
                socket.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
