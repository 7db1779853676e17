package io.holdfast.lock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sits between clients and Redis, and counts the commands that clients send, the round trips, and the bytes.
 *
 * <p>Redis' own counters do not distinguish these commands from those that scripts call: {@code INFO commandstats} and, in some
 * versions, {@code total_commands_processed} count both, and Redisson and Spring Integration publish from scripts. Everything
 * that passes through here came over the wire, whatever the client and the version of Redis. The proxy adds some 30 µs to each
 * command, so it is used only where commands are counted, not where time is measured.
 */
public final class CountingProxy implements AutoCloseable {

    private static final int BUFFER = 16 * 1024;

    private final int redisPort;
    private final ServerSocket server;
    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
    private final LongAdder roundTrips = new LongAdder();
    private final LongAdder bytesToRedis = new LongAdder();
    private final LongAdder bytesFromRedis = new LongAdder();
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();

    public CountingProxy(int redisPort) {
        this.redisPort = redisPort;
        try {
            this.server = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        daemon("proxy-accept", this::accept);
    }

    public int port() {
        return server.getLocalPort();
    }

    /** {@return how many commands have passed so far} */
    public long total() {
        return counts.values().stream().mapToLong(LongAdder::sum).sum();
    }

    /** {@return how many commands have passed so far, by name} */
    public Map<String, Long> byName() {
        Map<String, Long> copy = new TreeMap<>();
        counts.forEach((name, count) -> copy.put(name, count.sum()));
        return copy;
    }

    /**
     * {@return how often a client sent something after Redis had replied to everything sent earlier on that connection} Commands
     * that are sent without waiting for the replies in between count once, unless the first reply arrives very early.
     */
    public long roundTrips() {
        return roundTrips.sum();
    }

    /** {@return how many bytes clients have sent so far} */
    public long bytesToRedis() {
        return bytesToRedis.sum();
    }

    /** {@return how many bytes Redis has sent so far, including messages of subscriptions} */
    public long bytesFromRedis() {
        return bytesFromRedis.sum();
    }

    private void accept() {
        try {
            while (true) {
                connect(server.accept());
            }
        } catch (IOException closed) {
            closeSockets();
        }
    }

    private void connect(Socket client) throws IOException {
        Socket redis = new Socket(InetAddress.getLoopbackAddress(), redisPort);
        client.setTcpNoDelay(true);
        redis.setTcpNoDelay(true);
        sockets.add(client);
        sockets.add(redis);
        RequestParser parser = new RequestParser(
                name -> counts.computeIfAbsent(name, any -> new LongAdder()).increment());
        AtomicBoolean answered = new AtomicBoolean(true);
        daemon(
                "proxy-requests",
                () -> copy(client, redis, (bytes, count) -> {
                    if (answered.getAndSet(false)) {
                        roundTrips.increment();
                    }
                    bytesToRedis.add(count);
                    parser.feed(bytes, count);
                }));
        daemon(
                "proxy-replies",
                () -> copy(redis, client, (bytes, count) -> {
                    answered.set(true);
                    bytesFromRedis.add(count);
                }));
    }

    /** Sees what passes through, before the other side does. */
    private interface Observer {
        void passes(byte[] bytes, int count);
    }

    private static void copy(Socket from, Socket to, Observer observer) {
        byte[] buffer = new byte[BUFFER];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                observer.passes(buffer, count);
                out.write(buffer, 0, count);
            }
        } catch (IOException closed) {
            // One side has closed its connection; the other is closed here.
        }
    }

    private void closeSockets() {
        for (Socket socket : sockets) {
            close(socket);
        }
    }

    private static void close(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        close(server);
    }
}
