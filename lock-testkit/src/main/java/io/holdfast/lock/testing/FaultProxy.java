package io.holdfast.lock.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Sits between a client and Redis, and does on purpose what networks do by chance: loses replies, hangs, drops connections, or
 * replies in the server's place.
 */
public final class FaultProxy implements AutoCloseable {

    private static final Pattern COMMAND = Pattern.compile("(?:^|\r\n)\\*\\d+(?=\r\n)");

    private static final int ALL = Integer.MAX_VALUE;

    private final ServerSocket listener;
    private volatile int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger repliesLeft = new AtomicInteger(ALL);
    private final Set<Socket> silent = ConcurrentHashMap.newKeySet();
    private final Set<Socket> dead = ConcurrentHashMap.newKeySet();
    private final AtomicInteger swallowed = new AtomicInteger();
    private final AtomicInteger accepted = new AtomicInteger();
    private volatile boolean refusing;
    private volatile @Nullable String swallowing;
    private volatile @Nullable String cannedReply;
    private volatile @Nullable Integer cutAfter;
    private volatile @Nullable Duration trickle;

    public FaultProxy(int targetPort) {
        this.target = targetPort;
        try {
            this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Commands reach the server and are executed, but no reply comes back. */
    public void loseReplies(boolean lose) {
        repliesLeft.set(lose ? 0 : ALL);
    }

    /** Only this many more short replies come back. */
    public void loseRepliesAfter(int count) {
        repliesLeft.set(count);
    }

    /** Every command is answered with this line, and none reaches the server; null turns this off. */
    public void answer(@Nullable String line) {
        cannedReply = line;
    }

    /** New connections are closed at once. */
    public void refuse(boolean refuse) {
        refusing = refuse;
    }

    /** Connections that are open now stay open, but nothing comes back on them. Later connections work as usual. */
    public void silence() {
        silent.addAll(sockets);
    }

    /**
     * Connections that are open now are dead, and neither end learns of it: nothing passes in either direction. Later connections work as
     * usual.
     */
    public void lose() {
        dead.addAll(sockets);
    }

    /** Replies come back one byte at a time, each after this pause; null turns this off. */
    public void trickle(@Nullable Duration pause) {
        trickle = pause;
    }

    /** Each new connection is dropped after this many replies, when the next one arrives; null turns this off. */
    public void cutAfter(@Nullable Integer answers) {
        cutAfter = answers;
    }

    /** Later connections lead to another server; those that are open now are not affected. */
    public void redirect(int port) {
        target = port;
    }

    /** Requests that contain this word do not reach the server; null turns this off. */
    public void swallow(@Nullable String word) {
        swallowing = word;
    }

    /** How many requests have been swallowed. */
    public int swallowed() {
        return swallowed.get();
    }

    /** How many connections have been accepted so far. */
    public int accepted() {
        return accepted.get();
    }

    /** Breaks all connections that are open now. */
    public void cut() {
        sockets.forEach(FaultProxy::closeQuietly);
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                accepted.incrementAndGet();
                if (refusing) {
                    closeQuietly(client);
                    continue;
                }
                connect(client);
            }
        } catch (IOException closed) {
            cut();
        }
    }

    /** While the server is down, the client's connection is closed. */
    private void connect(Socket client) {
        try {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            sockets.add(client);
            sockets.add(server);
            start(() -> pumpRequests(client, server));
            start(() -> pumpReplies(server, client));
        } catch (IOException down) {
            closeQuietly(client);
        }
    }

    private void pumpRequests(Socket client, Socket server) {
        pump(client, server, (bytes, length, out) -> {
            String canned = cannedReply;
            String unwanted = swallowing;
            String text = new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
            if (unwanted != null && text.contains(unwanted)) {
                swallowed.incrementAndGet();
                return;
            }
            if (canned == null) {
                out.write(bytes, 0, length);
                return;
            }
            long commands = COMMAND.matcher(text).results().count();
            String reply = (canned + "\r\n").repeat((int) commands);
            client.getOutputStream().write(reply.getBytes(StandardCharsets.ISO_8859_1));
        });
    }

    private void pumpReplies(Socket server, Socket client) {
        Integer most = cutAfter;
        AtomicInteger passed = new AtomicInteger();
        pump(server, client, (bytes, length, out) -> {
            if (most != null && cutAfter != null && passed.getAndIncrement() >= most) {
                throw new IOException("Cut on purpose");
            }
            if (!silent.contains(server)
                    && repliesLeft.getAndUpdate(left -> left == ALL || left == 0 ? left : left - 1) > 0) {
                write(bytes, length, out);
            }
        });
    }

    private void write(byte[] bytes, int length, OutputStream out) throws IOException {
        int written = 0;
        for (Duration pause = trickle; pause != null && written < length; pause = trickle) {
            LockSupport.parkNanos(pause.toNanos());
            out.write(bytes, written++, 1);
        }
        out.write(bytes, written, length - written);
    }

    private interface Forwarder {
        void forward(byte[] bytes, int length, OutputStream out) throws IOException;
    }

    private void pump(Socket from, Socket to, Forwarder forwarder) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            byte[] buffer = new byte[64 * 1024];
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                if (!dead.contains(from)) {
                    forwarder.forward(buffer, length, to.getOutputStream());
                }
            }
        } catch (IOException broken) {
            closeQuietly(to);
        } finally {
            sockets.remove(from);
            sockets.remove(to);
            silent.remove(from);
            silent.remove(to);
            dead.remove(from);
            dead.remove(to);
        }
    }

    private static void start(Runnable loop) {
        Thread thread = new Thread(loop, "fault-proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException alreadyClosed) {
            socket.isClosed();
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }
}
