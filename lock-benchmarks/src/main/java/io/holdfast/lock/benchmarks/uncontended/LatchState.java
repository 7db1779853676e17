package io.holdfast.lock.benchmarks.uncontended;

import io.holdfast.lock.benchmarks.peer.Latch;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One thread's own lock. */
@State(Scope.Thread)
public class LatchState {

    private @Nullable Latch latch;

    @Setup(Level.Trial)
    public void open(ClientState clients) {
        latch = clients.client().latch(clients.ownKey());
    }

    Latch latch() {
        return Objects.requireNonNull(latch);
    }
}
