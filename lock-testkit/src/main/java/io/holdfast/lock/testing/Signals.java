package io.holdfast.lock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Sends POSIX signals to processes that the tests started. */
public final class Signals {

    /** The states, in {@code /proc}, of threads that may still run; a thread in any other state has stopped or ended. */
    private static final String RUNNING = "RSD";

    private Signals() {}

    /** Returns when the signal has been sent; for {@code STOP}, when all threads of the process have stopped. */
    public static void send(String name, long pid) {
        try {
            int exit = new ProcessBuilder("kill", "-" + name, String.valueOf(pid))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException("kill -" + name + " " + pid + " failed with exit code " + exit);
            }
            while (name.equals("STOP") && !isStopped(pid)) {
                Thread.sleep(1);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while sending " + name, e);
        }
    }

    /**
     * Whether all threads of the process have stopped; always true on systems other than Linux, where this cannot be determined.
     * Sending the signal is not enough: on a busy machine, a thread that is waiting for a core when it arrives may still run for
     * a moment.
     */
    static boolean isStopped(long pid) {
        Path threads = Path.of("/proc", String.valueOf(pid), "task");
        return !Files.isDirectory(threads) || isStopped(threads);
    }

    private static boolean isStopped(Path threads) {
        try (var each = Files.newDirectoryStream(threads)) {
            for (Path thread : each) {
                String stat = Files.readString(thread.resolve("stat"));
                if (RUNNING.indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) >= 0) {
                    return false;
                }
            }
            return true;
        } catch (IOException threadEnded) {
            return false;
        }
    }
}
