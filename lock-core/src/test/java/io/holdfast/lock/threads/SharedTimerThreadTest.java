package io.holdfast.lock.threads;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two applications in a server that share this library, and so its timer thread. */
@Timeout(300)
class SharedTimerThreadTest {

    /** Defines a class again. */
    private static final class Application extends ClassLoader {

        private Application() {
            super(SharedTimerThreadTest.class.getClassLoader());
        }

        private Supplier<?> create(Class<?> type) throws Exception {
            try (InputStream bytes =
                    type.getResourceAsStream("/" + type.getName().replace('.', '/') + ".class")) {
                byte[] all = bytes.readAllBytes();
                Class<?> own = defineClass(type.getName(), all, 0, all.length);
                var constructor = own.getDeclaredConstructor();
                constructor.setAccessible(true);
                return (Supplier<?>) constructor.newInstance();
            }
        }
    }

    /** A client, which uses its timer. */
    static final class Client implements Supplier<DaemonThreads.Timer>, Runnable {

        private final CountDownLatch run = new CountDownLatch(1);

        @Override
        public DaemonThreads.Timer get() {
            DaemonThreads.Timer timer = DaemonThreads.timer();
            timer.after(0, this);
            try {
                run.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return timer;
        }

        @Override
        public void run() {
            run.countDown();
        }
    }

    private static boolean isRunning() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("holdfast-timer"));
    }

    @Test
    void timer_thread_does_not_keep_the_application_that_started_it() throws Exception {
        for (int i = 0; i < 300 && isRunning(); i++) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
        }
        assumeTrue(!isRunning(), "another test has left clients open");
        try (Opened opened = startApplication()) {
            Awaitility.await().until(() -> {
                System.gc();
                return opened.application.refersTo(null);
            });
        }
    }

    /** The timer of another application, and the first one, which has ended. */
    private record Opened(DaemonThreads.Timer other, WeakReference<ClassLoader> application) implements AutoCloseable {

        @Override
        public void close() {
            other.close();
        }
    }

    private static Opened startApplication() throws Exception {
        Application application = new Application();
        DaemonThreads.Timer first =
                (DaemonThreads.Timer) application.create(Client.class).get();
        DaemonThreads.Timer other = DaemonThreads.timer();
        first.close();
        return new Opened(other, new WeakReference<>(application));
    }
}
