package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.waiting.Gates;
import io.holdfast.lock.waiting.Pause;
import io.holdfast.lock.waiting.Seat;
import io.holdfast.lock.waiting.SeatKeeper;
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
    private final Pause pause;
    private final SeatKeeper seats;
    private final Gates gates;

    Client(LockStore store, Cleanup cleanup, Ticker ticker, Pause pause) {
        this.store = store;
        this.cleanup = cleanup;
        this.ticker = ticker;
        this.pause = pause;
        this.seats = new SeatKeeper(store, id, ticker);
        this.gates = new Gates(seats);
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

    Pause pause() {
        return pause;
    }

    SeatKeeper seats() {
        return seats;
    }

    Gates gates() {
        return gates;
    }

    /** A seat for an acquisition that is new to the store. */
    Seat openSeat(LockKey key) {
        return seats.open(key, new OwnerId(id, sequence.incrementAndGet()));
    }

    /** Wakes all who wait. */
    void stopWaiting() {
        gates.close();
        seats.close();
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
