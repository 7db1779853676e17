package io.holdfast.lock.engine.client;

import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.Pause;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.waiting.LocalQueue;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HexFormat;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** The identity of this client, and what its acquisitions share. */
public final class ClientContext {

    /** The lookup of the host name may be slow, so it happens before the first lock is requested. */
    private static final class Here {
        private static final String HOST = hostName();
        private static final long PID = ProcessHandle.current().pid();
    }

    private static final int LAST_DIGITS = 8;

    private final LockStore store;
    private final Cleanup cleanup;
    private final Ticker ticker;
    private final Pause pause;
    private final boolean queueThread;
    private final Sequences sequences = Sequences.SYSTEM;
    private volatile Identity identity;
    private volatile long wakeUpsBefore;
    private volatile LongConsumer onRevoked = sequence -> {};

    /** The client's identity at the store, and what depends on it: both change when the process was copied. */
    private record Identity(String id, LocalQueue queue) {}

    public ClientContext(
            LockStore store, Cleanup cleanup, Ticker ticker, Pause pause, boolean queueThread, @Nullable String id) {
        this.store = store;
        this.cleanup = cleanup;
        this.ticker = ticker;
        this.pause = pause;
        this.queueThread = queueThread;
        this.identity = identity(id == null ? randomId() : id);
    }

    private Identity identity(String id) {
        LongConsumer revoked = sequence -> onRevoked.accept(sequence);
        return new Identity(id, new LocalQueue(store, id, sequences::next, ticker, queueThread, revoked));
    }

    public String id() {
        return identity.id;
    }

    public LockStore store() {
        return store;
    }

    public Cleanup cleanup() {
        return cleanup;
    }

    public Ticker ticker() {
        return ticker;
    }

    public Pause pause() {
        return pause;
    }

    /** Where its callers wait. */
    public LocalQueue queue() {
        return identity.queue;
    }

    /** {@return how many waiters the store has notified of their lock} */
    public long wakeUps() {
        return wakeUpsBefore + queue().entries().wakeUps();
    }

    /** Sets the action for holds that the store may have revoked. */
    public void onRevoked(LongConsumer action) {
        onRevoked = action;
    }

    /** Leaves no file open. */
    public void closeFiles() {
        sequences.close();
    }

    /** Becomes another client without waiters: with an id, lines, entries and a subscription of its own. */
    public void renew() {
        wakeUpsBefore = wakeUps();
        identity = identity(randomId());
    }

    public static HolderInfo currentThread() {
        return new HolderInfo(Here.HOST, Here.PID, Thread.currentThread().getName());
    }

    private static String randomId() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(Sequences.SYSTEM.next()) + hex.toHexDigits(Sequences.SYSTEM.next(), LAST_DIGITS);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }
}
