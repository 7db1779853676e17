package io.holdfast.lock.testing;

import io.holdfast.lock.threads.DaemonThreads;
import java.lang.reflect.Field;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Keeps threads of the library whose names have a certain prefix from starting, like a temporary limit on threads, until {@link #close}.
 * Only one instance may be active at a time.
 */
public final class NoRoomForThreads implements AutoCloseable {

    private static final int REFUSED_SECONDS = 60;

    private final CountDownLatch refused = new CountDownLatch(1);

    private NoRoomForThreads(String prefix) {
        set(name -> {
            boolean mine = name.startsWith(prefix);
            if (mine) {
                refused.countDown();
            }
            return mine;
        });
    }

    /**
     * {@return a limit that is already active}
     *
     * @param prefix the prefix of the threads' names
     */
    public static NoRoomForThreads named(String prefix) {
        return new NoRoomForThreads(prefix);
    }

    /**
     * Waits until a thread has been refused.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    public void awaitRefusal() throws InterruptedException {
        if (!refused.await(REFUSED_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("No thread was refused: the test does not reach the code that it is for");
        }
    }

    @Override
    public void close() {
        set(name -> false);
    }

    private static void set(Predicate<String> withoutRoom) {
        try {
            Field field = DaemonThreads.class.getDeclaredField("withoutRoom");
            field.setAccessible(true);
            field.set(null, withoutRoom);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
