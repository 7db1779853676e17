package io.holdfast.lock.sample.redis;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Asks whether a Redis answers, without a client. */
final class RedisPing {

    private static final int TIMEOUT_MILLIS = 1000;

    private RedisPing() {}

    /** {@return whether something there speaks Redis, even if it only says NOAUTH; with SSL, whether anything listens} */
    static boolean answers(String host, int port, boolean ssl) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), TIMEOUT_MILLIS);
            if (ssl) {
                return true;
            }
            socket.setSoTimeout(TIMEOUT_MILLIS);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            int first = socket.getInputStream().read();
            return first == '+' || first == '-';
        } catch (IOException silent) {
            return false;
        }
    }
}
