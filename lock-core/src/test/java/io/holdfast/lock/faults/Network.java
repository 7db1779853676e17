package io.holdfast.lock.faults;

import io.holdfast.lock.testing.FaultProxy;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The network between clients and servers, with a {@link FaultProxy} in front of each server. It is a SOCKS proxy (RFC 1928), because
 * clients of a cluster, or of sentinels, learn the addresses of servers from servers: see {@link #use}.
 */
final class Network implements AutoCloseable {

    private static final byte VERSION = 5;
    private static final byte HOST_UNREACHABLE = 4;
    private static final int IPV4 = 1;

    private final ServerSocket listener;
    private final Map<Integer, FaultProxy> proxies;
    private final Set<Integer> refused = ConcurrentHashMap.newKeySet();
    private final Set<Integer> unreachable = ConcurrentHashMap.newKeySet();

    /** @param ports of all servers, and of sentinels */
    Network(Collection<Integer> ports) {
        proxies = ports.stream().collect(Collectors.toMap(Function.identity(), FaultProxy::new));
        try {
            listener = new ServerSocket(0, 500, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(this::accept);
    }

    /** All later connections of this JVM lead through the network, those to this machine too. */
    static void use(int port) {
        System.setProperty("socksProxyHost", "127.0.0.1");
        System.setProperty("socksProxyPort", String.valueOf(port));
        System.setProperty("socksNonProxyHosts", "");
    }

    int port() {
        return listener.getLocalPort();
    }

    Collection<Integer> servers() {
        return proxies.keySet();
    }

    FaultProxy to(int server) {
        return proxies.get(server);
    }

    /** All open connections are dead, and neither end learns of it. New ones work. */
    void lose(Collection<Integer> servers) {
        servers.forEach(server -> to(server).lose());
    }

    /** All connections break, and for a while no new one can be made, which is reported at once. */
    void refuse(Collection<Integer> servers, Duration time) throws InterruptedException {
        refused.addAll(servers);
        servers.forEach(server -> to(server).cut());
        Outages.sleep(time);
        refused.removeAll(servers);
    }

    /** All connections are dead, and for a while attempts to make new ones get no reply. */
    void swallow(Collection<Integer> servers, Duration time) throws InterruptedException {
        unreachable.addAll(servers);
        lose(servers);
        Outages.sleep(time);
        unreachable.removeAll(servers);
    }

    /** For a while, replies arrive byte by byte, with this pause before each; those that are not complete by then never are. */
    void trickle(Collection<Integer> servers, Duration pause, Duration time) throws InterruptedException {
        servers.forEach(server -> to(server).trickle(pause));
        Outages.sleep(time);
        servers.forEach(server -> to(server).cut());
        servers.forEach(server -> to(server).trickle(null));
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                start(() -> connect(client));
            }
        } catch (IOException closed) {
            proxies.values().forEach(FaultProxy::cut);
        }
    }

    private void connect(Socket client) {
        try (client) {
            client.setTcpNoDelay(true);
            int server = destination(client);
            if (unreachable.contains(server)) {
                client.getInputStream().readAllBytes();
            } else if (refused.contains(server)) {
                reply(client, HOST_UNREACHABLE);
            } else {
                connect(client, server);
            }
        } catch (IOException broken) {
            client.isClosed();
        }
    }

    private void connect(Socket client, int server) throws IOException {
        try (Socket proxy =
                new Socket(InetAddress.getLoopbackAddress(), to(server).port())) {
            proxy.setTcpNoDelay(true);
            reply(client, 0);
            start(() -> forward(proxy, client));
            forward(client, proxy);
        }
    }

    /** What a JVM sends for an address that it has resolved. */
    private static int destination(Socket client) throws IOException {
        DataInputStream in = new DataInputStream(client.getInputStream());
        in.skipNBytes(1);
        in.skipNBytes(in.readUnsignedByte());
        client.getOutputStream().write(new byte[] {VERSION, 0});
        in.skipNBytes(3);
        int type = in.readUnsignedByte();
        if (type != IPV4) {
            throw new IOException("Address of type " + type);
        }
        in.skipNBytes(4);
        return in.readUnsignedShort();
    }

    private static void reply(Socket client, int code) throws IOException {
        client.getOutputStream().write(new byte[] {VERSION, (byte) code, 0, IPV4, 0, 0, 0, 0, 0, 0});
    }

    private static void forward(Socket from, Socket to) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            in.transferTo(to.getOutputStream());
        } catch (IOException broken) {
            from.isClosed();
        }
    }

    private static void start(Runnable loop) {
        Thread thread = new Thread(loop, "network");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        proxies.values().forEach(FaultProxy::close);
    }
}
