package io.holdfast.lock.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that nobody listens on, in pairs: the second is {@value #SECOND} above the first, where a node of a cluster has its bus.
 * Both are below the ports that operating systems assign to outgoing connections, so a server that was killed finds its own ports
 * free again. Another process may take one before it is used; the caller then requests another.
 */
final class FreePorts {

    /** The distance from a port to the second one of its pair. */
    static final int SECOND = 10_000;

    private static final int LOWEST = 11_000;
    private static final int HIGHEST = 20_999;
    private static final int ATTEMPTS = 1000;

    private FreePorts() {}

    static int next() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, HIGHEST + 1);
            if (isFree(port) && isFree(port + SECOND)) {
                return port;
            }
        }
        throw new IllegalStateException("No port between " + LOWEST + " and " + HIGHEST + " is free");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
