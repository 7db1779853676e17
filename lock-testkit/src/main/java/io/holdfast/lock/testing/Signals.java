package io.holdfast.lock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Sends POSIX signals to processes that the tests started. */
public final class Signals {

    private Signals() {}

    public static void send(String name, long pid) {
        try {
            new ProcessBuilder("kill", "-" + name, String.valueOf(pid)).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while sending " + name, e);
        }
    }
}
