package io.holdfast.lock.engine;

import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.atomic.AtomicLong;

/** Who this client is, and what its acquisitions share. */
final class Client {

    private static final int ID_BYTES = 12;
    private static final String HOST = hostName();
    private static final long PID = ProcessHandle.current().pid();

    private final String id = randomId();
    private final AtomicLong sequence = new AtomicLong();
    private final LockStore store;
    private final Cleanup cleanup;
    private final Ticker ticker;

    Client(LockStore store, Cleanup cleanup, Ticker ticker) {
        this.store = store;
        this.cleanup = cleanup;
        this.ticker = ticker;
    }

    String id() {
        return id;
    }

    LockStore store() {
        return store;
    }

    Cleanup cleanup() {
        return cleanup;
    }

    Ticker ticker() {
        return ticker;
    }

    OwnerId nextOwner() {
        return new OwnerId(id, sequence.incrementAndGet());
    }

    static HolderInfo currentThread() {
        return new HolderInfo(HOST, PID, Thread.currentThread().getName());
    }

    private static String randomId() {
        byte[] random = new byte[ID_BYTES];
        new SecureRandom().nextBytes(random);
        return HexFormat.of().formatHex(random);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
