package io.holdfast.lock.engine.client;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.threads.DaemonThreads;
import io.holdfast.lock.waiting.EntryKeeper;
import io.holdfast.lock.waiting.LocalQueue;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The identity of this client, and what its acquisitions share. */
public final class ClientContext {

    /**
     * Looked up on a separate thread: a name server that does not respond takes many seconds, which no call may spend, and no
     * interrupt ends. Replaced when the process has been copied, maybe to another machine.
     */
    private static volatile CompletableFuture<String> host = lookUpHost();

    private static final int LAST_DIGITS = 8;

    public final LockStore store;
    public final Cleanup cleanup;
    public final Ticker ticker;
    private final boolean queueThread;

    /** Where its callers wait. Replaced, and with it the id of the client, when the process has been copied. */
    private volatile LocalQueue queue;

    private volatile long wakeupsBefore;
    private volatile LongConsumer onRevoked = sequence -> {};

    public ClientContext(LockStore store, Cleanup cleanup, Ticker ticker, boolean queueThread, @Nullable String id) {
        this.store = store;
        this.cleanup = cleanup;
        this.ticker = ticker;
        this.queueThread = queueThread;
        this.queue = queue(id == null ? randomId() : id);
    }

    private LocalQueue queue(String id) {
        var entries = new EntryKeeper(store, id, ticker, queueThread, sequence -> onRevoked.accept(sequence));
        return new LocalQueue(entries, Sequences.SYSTEM::next, ticker);
    }

    public String id() {
        return queue.entries.clientId;
    }

    /** The queue in which its callers wait. */
    public LocalQueue queue() {
        return queue;
    }

    /** {@return how many waiters the store has notified of their grant} */
    public long wakeups() {
        return wakeupsBefore + queue().entries.wakeups();
    }

    /** Sets the action for holds that the store may have revoked. */
    public void onRevoked(LongConsumer action) {
        onRevoked = action;
    }

    /** Like {@link Cleanup#leave}, but on the calling thread, unless the store fails. */
    public void leave(LockKey key, OwnerId owner, long leaseNanos) {
        try {
            uninterruptibly(() -> {
                store.leave(key, owner, cleanup.cancellation(leaseNanos, 0), ReleaseRequest.NO_TOKEN);
                return owner;
            });
        } catch (RuntimeException | Error e) {
            cleanup.leave(key, owner, leaseNanos);
        }
    }

    /** Closes all open files. */
    public void closeFiles() {
        Sequences.SYSTEM.close();
    }

    /** Becomes a different client without waiters: with a new id, and its own lines, entries and subscription. */
    public void renew() {
        host = lookUpHost();
        wakeupsBefore = wakeups();
        queue = queue(randomId());
    }

    public static HolderInfo currentThread() {
        return new HolderInfo(
                host.getNow("unknown"),
                ProcessHandle.current().pid(),
                Thread.currentThread().getName());
    }

    public static <T> T uninterruptibly(Supplier<T> call) {
        return uninterruptibly(call, () -> {});
    }

    /**
     * Calls the store so that an interrupt cannot break the call: some drivers abandon a reply when the thread is interrupted. The
     * interrupt status is restored afterwards. A call that is broken nevertheless is repeated, which is safe for every call to the
     * store except a forced release.
     *
     * @param onAgain run before the call is repeated: the earlier send may still arrive; if it throws, the call is not repeated
     */
    public static <T> T uninterruptibly(Supplier<T> call, Runnable onAgain) {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return call.get();
                } catch (LockStoreException e) {
                    if (!Thread.interrupted()) {
                        throw e;
                    }
                    interrupted = true;
                    onAgain.run();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Runs all steps in order, whatever any of them throws, for example to give back one lock after another. Then throws the first
     * failure, with the others as suppressed exceptions.
     */
    public static void all(Runnable... steps) {
        each(List.of(steps), Runnable::run);
    }

    /** Applies the action to each element, as {@link #all} runs its steps: in order, whatever it throws. */
    public static <T> void each(Iterable<T> all, Consumer<? super T> action) {
        Throwable first = null;
        for (T each : all) {
            try {
                action.accept(each);
            } catch (RuntimeException | Error e) {
                if (first == null) {
                    first = e;
                } else if (first != e) {
                    first.addSuppressed(e);
                }
            }
        }
        if (first instanceof Error error) {
            throw error;
        }
        if (first instanceof RuntimeException failure) {
            throw failure;
        }
    }

    public static String randomId() {
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(Sequences.SYSTEM.next()) + hex.toHexDigits(Sequences.SYSTEM.next(), LAST_DIGITS);
    }

    private static CompletableFuture<String> lookUpHost() {
        return CompletableFuture.supplyAsync(
                        ClientContext::hostName,
                        work -> DaemonThreads.create(work, "holdfast-host").start())
                .exceptionally(failure -> "unknown");
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown";
        }
    }

    /**
     * Draws the sequences of {@link io.holdfast.lock.store.OwnerId}s: positive random 63-bit numbers that nobody can guess, and
     * that no copy of this process draws as well.
     *
     * <p>A process may be copied with its whole heap, by CRaC, SnapStart, or a snapshot of its virtual machine. Anything in the
     * heap, such as a counter, the state of a generator or a buffer of random bytes, is in both copies, and both would continue
     * with the same ids; the store would regard these as one acquisition that is sent twice, and grant both. So each draw reads 8
     * bytes from the operating system, unbuffered, and keeps nothing for the next draw.
     *
     * <p>A copy of a virtual machine also has a copy of the system's generator, until the kernel learns that it was copied:
     * immediately with a VM generation id (Linux 5.18), otherwise within a few minutes. To cover that time, both clocks are mixed
     * in, the monotonic one in nanoseconds: two copies draw the same number only if they were restored, and draw, in the same
     * nanosecond. Combining a random number with another value by exclusive or leaves it as random as it was.
     *
     * <p>Where there is no {@code /dev/urandom}, numbers from a {@link SecureRandom} are mixed with the clocks.
     *
     * <p><b>Collisions.</b> A sequence has to be unique among the acquisitions of one client that the store, or the client, knows
     * of at the same time. A new one equals one of n others with probability n / 2<sup>63</sup>: with a thousand of them at a time
     * and 100,000 draws a second, once in three thousand years; and even then, two threads get the same lock only if both request
     * the same key. Otherwise one of them misses messages, and polls. Nothing relies on sequences being small, or on their order.
     *
     * <p>Thread-safe, without a lock: reads of one file descriptor are atomic.
     */
    static final class Sequences {

        static final Sequences SYSTEM =
                new Sequences(() -> new FileInputStream("/dev/urandom"), System::nanoTime, System::currentTimeMillis);

        private final Callable<InputStream> source;
        private final LongSupplier monotonic;
        private final LongSupplier wallClock;
        private volatile @Nullable InputStream random;

        /** @param source opens a source of random bytes that is not in the heap, and not buffered */
        Sequences(Callable<InputStream> source, LongSupplier monotonic, LongSupplier wallClock) {
            this.source = source;
            this.monotonic = monotonic;
            this.wallClock = wallClock;
        }

        /** {@return a positive number that was never drawn before} */
        long next() {
            long drawn;
            do {
                long clocks = mix(monotonic.getAsLong() + mix(wallClock.getAsLong()));
                drawn = (bits() ^ clocks) & Long.MAX_VALUE;
            } while (drawn == 0);
            return drawn;
        }

        /**
         * Closes the file, which must not be open when the process is copied; the next draw, or one in progress, opens it
         * again.
         */
        void close() {
            try (InputStream open = random) {
                random = null;
            } catch (IOException e) {
                throw new IllegalStateException("The source of random numbers cannot be closed", e);
            }
        }

        private long bits() {
            byte[] bytes = new byte[Long.BYTES];
            return read(random, bytes) || read(opened(), bytes)
                    ? ByteBuffer.wrap(bytes).getLong()
                    : new SecureRandom().nextLong();
        }

        private static boolean read(@Nullable InputStream open, byte[] bytes) {
            try {
                return open != null && open.read(bytes) == bytes.length;
            } catch (IOException closedMeanwhile) {
                return false;
            }
        }

        private synchronized InputStream opened() {
            InputStream known = random;
            if (known == null) {
                try {
                    known = source.call();
                } catch (Exception missing) {
                    known = InputStream.nullInputStream();
                }
                random = known;
            }
            return known;
        }

        /** The finalizer of SplitMix64: each bit of the result depends on each bit of the input, and no information is lost. */
        private static long mix(long bits) {
            long mixed = bits + 0x9e3779b97f4a7c15L;
            mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
            mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
            return mixed ^ mixed >>> 31;
        }
    }
}
