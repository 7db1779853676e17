package io.holdfast.lock.faults;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.history.Event;
import io.holdfast.lock.history.Recorder;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Takes one lock after the other, holds it for a while, asks whether it is held, and records all of it. */
final class LockingThread implements Runnable {

    private static final long BETWEEN_QUESTIONS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MAX_REST = TimeUnit.MILLISECONDS.toNanos(500);

    private final LockEngine locks;
    private final List<LockRequest> requests;
    private final Recorder recorder;
    private final AtomicLong handles;
    private final Manner manner;
    private final Random random = new Random();
    /** How long the last release took. Threads rest in proportion, so that they leave a busy machine room, also for new processes. */
    private long released;

    /**
     * @param handles counts those of this process
     */
    LockingThread(LockEngine locks, List<LockRequest> requests, Recorder recorder, AtomicLong handles, Manner manner) {
        this.locks = locks;
        this.requests = requests;
        this.recorder = recorder;
        this.handles = handles;
        this.manner = manner;
    }

    @Override
    public void run() {
        while (true) {
            LockRequest request = requests.get(random.nextInt(requests.size()));
            use(Use.of(request.key().value()).request(request, random));
            LockSupport.parkNanos(manner.pause(random) + Math.min(10 * released, MAX_REST));
        }
    }

    /** Whoever does not get the lock asks for it again. */
    private void use(LockRequest request) {
        long id = handles.incrementAndGet();
        LockHandle handle = acquire(id, id, request.waitFor(patience()));
        while (handle == null) {
            LockSupport.parkNanos(AFTER_FAILURE);
            id = handles.incrementAndGet();
            handle = acquire(id, id, request.waitFor(patience()));
        }
        hold(id, handle);
        boolean writes = request.mode() == LockMode.EXCLUSIVE;
        if (writes && Use.of(request.key().value()) == Use.SHARED && random.nextInt(4) == 0) {
            goOnAsReader(id, handle, request.shared());
        } else {
            close(id, handle);
        }
    }

    private void goOnAsReader(long writer, LockHandle handle, LockRequest request) {
        long reader = handles.incrementAndGet();
        LockHandle inner = acquire(reader, writer, request);
        close(writer, handle);
        if (inner != null) {
            hold(reader, inner);
            close(reader, inner);
        }
    }

    private @Nullable LockHandle acquire(long id, long hold, LockRequest request) {
        int limit = request.mode() == LockMode.EXCLUSIVE ? 0 : request.limit();
        recorder.add(new Event.Invoked(id, request.key().value(), limit, System.nanoTime()));
        LockHandle handle;
        try {
            handle = locks.acquire(request);
        } catch (RuntimeException e) {
            recorder.add(new Event.Failed(id, e.getClass().getSimpleName(), System.nanoTime()));
            return null;
        }
        recorder.add(new Event.Granted(id, hold, handle.fencingToken(), System.nanoTime()));
        handle.onLost(loss -> recorder.add(new Event.Lost(id, System.nanoTime())));
        return handle;
    }

    private void hold(long id, LockHandle handle) {
        long nanos = manner.hold(random);
        long begin = System.nanoTime();
        boolean held = ask(id, handle);
        while (held && System.nanoTime() - begin < nanos) {
            LockSupport.parkNanos(Math.min(BETWEEN_QUESTIONS, nanos - (System.nanoTime() - begin)));
            held = ask(id, handle);
        }
        ask(id, handle);
    }

    private boolean ask(long id, LockHandle handle) {
        long from = System.nanoTime();
        boolean held = handle.isHeld();
        recorder.add(new Event.Sampled(id, from, System.nanoTime(), held));
        return held;
    }

    private void close(long id, LockHandle handle) {
        long begin = System.nanoTime();
        recorder.add(new Event.Closing(id, begin));
        try {
            handle.close();
            recorder.add(new Event.Closed(id, System.nanoTime()));
        } catch (RuntimeException e) {
            recorder.add(new Event.Failed(id, e.getClass().getSimpleName(), System.nanoTime()));
        }
        released = System.nanoTime() - begin;
    }

    /** Now and then none. */
    private Duration patience() {
        int percent = random.nextInt(100);
        if (percent < 10) {
            return Duration.ZERO;
        }
        return Duration.ofMillis(random.nextInt(percent < 70 ? 200 : 3000));
    }
}
