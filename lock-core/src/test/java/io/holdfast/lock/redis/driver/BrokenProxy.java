package io.holdfast.lock.redis.driver;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Passes on what the server answers, until it breaks a connection once, after so many bytes of answers. */
final class BrokenProxy implements AutoCloseable {

    private static final int NEVER = Integer.MAX_VALUE;

    private final ServerSocket clients;
    private final int server;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private int left = NEVER;
    private boolean silently;
    private int broken;

    BrokenProxy(int server) {
        this.server = server;
        try {
            this.clients = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        inBackground(() -> {
            while (true) {
                serve(clients.accept());
            }
        });
    }

    int port() {
        return clients.getLocalPort();
    }

    synchronized void breakAfter(int bytes, boolean leaveOpen) {
        left = bytes;
        silently = leaveOpen;
    }

    synchronized int broken() {
        return broken;
    }

    private void serve(Socket client) throws IOException {
        Socket redis = new Socket(InetAddress.getLoopbackAddress(), server);
        open.add(client);
        open.add(redis);
        inBackground(() -> client.getInputStream().transferTo(redis.getOutputStream()));
        inBackground(() -> passAnswers(redis.getInputStream(), client));
    }

    private void passAnswers(InputStream from, Socket client) throws IOException {
        byte[] some = new byte[8192];
        for (int read = from.read(some); read >= 0; read = from.read(some)) {
            if (!pass(some, read, client.getOutputStream())) {
                if (!silently) {
                    client.close();
                }
                return;
            }
        }
    }

    /** Returns false if it breaks. */
    private synchronized boolean pass(byte[] some, int read, OutputStream to) throws IOException {
        boolean breaks = left < read;
        to.write(some, 0, Math.min(left, read));
        to.flush();
        left = breaks || left == NEVER ? NEVER : left - read;
        broken += breaks ? 1 : 0;
        return !breaks;
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void inBackground(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException closed) {
                return;
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            clients.close();
            for (Socket each : open) {
                each.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
