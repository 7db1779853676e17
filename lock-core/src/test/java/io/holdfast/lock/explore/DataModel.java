package io.holdfast.lock.explore;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.holdfast.lock.api.LockData;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.DataRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.FakeTicker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Two clients that read and write the data of a lock, whose holder may write late: a write whose caller gives up arrives at any time, or
 * twice, or never. One client hands the lock from thread to thread, under one owner id. The store is the real one in memory.
 *
 * <p>What a holder reads is the last value that was read, or whose write was answered, or one of a write without an answer: of the holder
 * itself, since its last answered write; of earlier holders, only until somebody later has read or written.
 */
final class DataModel implements Model<DataModel.State> {

    private static final int ACQUIRES = 0;
    private static final int HANDS_OFF = 2;
    private static final int READS = 3;
    private static final int WRITES = 4;
    private static final int WRITES_WITHOUT_ANSWER = 5;
    private static final int RELEASES = 6;
    private static final int EXPIRES = 7;
    private static final int ARRIVES = 8;
    private static final int ARRIVES_TWICE = 16;
    private static final int TOKENS = 8;
    private static final Duration LEASE = Duration.ofSeconds(30);

    private final int maxHolds;
    private final int maxWrites;

    /** For each state, what the store sees of a request; planted errors change it. */
    private final Supplier<UnaryOperator<DataRequest>> networks;

    DataModel(int maxHolds, int maxWrites, Supplier<UnaryOperator<DataRequest>> networks) {
        this.maxHolds = maxHolds;
        this.maxWrites = maxWrites;
        this.networks = networks;
    }

    /** One thread that holds the lock, or has held it. */
    private static final class Hold {
        final OwnerId owner;
        final long token;
        final int number;
        int writes;

        Hold(OwnerId owner, long token, int number) {
            this.owner = owner;
            this.token = token;
            this.number = number;
        }
    }

    private record Write(int hold, DataRequest request, String value, boolean again) {}

    static final class State {
        private final UnaryOperator<DataRequest> network;
        private final List<Integer> path = new ArrayList<>();
        private final FakeTicker time = new FakeTicker();
        private final InMemoryLockStore store = new InMemoryLockStore(time, InstantSource.fixed(Instant.EPOCH));
        private final List<Hold> holds = new ArrayList<>();
        private @Nullable Hold current;
        private final List<Write> late = new ArrayList<>();
        private int writes;

        /** What may be read; the number of the hold and of the write of the last call that was admitted. */
        private final Set<String> allowed = new TreeSet<>(Set.of("nothing"));

        private final List<Write> unanswered = new ArrayList<>();
        private int lastHold = -1;
        private long lastWrite;
        private String outcome = "";
        private @Nullable String broken;

        private State(UnaryOperator<DataRequest> network) {
            this.network = network;
        }
    }

    @Override
    public State initial() {
        return new State(networks.get());
    }

    @Override
    public State copy(State state) {
        State copy = initial();
        state.path.forEach(step -> take(copy, step));
        return copy;
    }

    @Override
    public void steps(State state, IntConsumer offer) {
        if (state.current == null) {
            for (int client = 0; client < 2 && state.holds.size() < maxHolds; client++) {
                offer.accept(ACQUIRES + client);
            }
        } else {
            if (state.current.owner.clientId().equals("A") && state.holds.size() < maxHolds) {
                offer.accept(HANDS_OFF);
            }
            offer.accept(READS);
            if (state.writes < maxWrites) {
                offer.accept(WRITES);
                offer.accept(WRITES_WITHOUT_ANSWER);
            }
            offer.accept(RELEASES);
            offer.accept(EXPIRES);
        }
        for (int i = 0; i < state.late.size(); i++) {
            offer.accept(ARRIVES + i);
            if (!state.late.get(i).again()) {
                offer.accept(ARRIVES_TWICE + i);
            }
        }
    }

    @Override
    public void take(State state, int step) {
        state.path.add(step);
        state.outcome = "";
        state.time.pass(Duration.ofNanos(1_000));
        Hold hold = state.current;
        if (step < HANDS_OFF) {
            acquire(state, new OwnerId(step == ACQUIRES ? "A" : "B", 1 + state.holds.size()));
        } else if (step >= ARRIVES) {
            boolean twice = step >= ARRIVES_TWICE;
            Write write = state.late.remove(step - (twice ? ARRIVES_TWICE : ARRIVES));
            if (twice) {
                state.late.add(new Write(write.hold, write.request, write.value, true));
            }
            serve(state, write.hold, write.request);
        } else {
            act(state, Objects.requireNonNull(hold), step);
        }
    }

    private void act(State state, Hold hold, int step) {
        switch (step) {
            case HANDS_OFF -> begin(state, new Hold(hold.owner, hold.token + 1, state.holds.size()));
            case READS -> read(state, hold);
            case WRITES, WRITES_WITHOUT_ANSWER -> write(state, hold, step == WRITES);
            case RELEASES -> {
                state.store.release(new ReleaseRequest(World.KEY, hold.owner));
                state.current = null;
            }
            default -> {
                state.time.pass(LEASE);
                state.current = null;
            }
        }
    }

    private static void acquire(State state, OwnerId owner) {
        HolderInfo here = new HolderInfo("host", 1, "thread");
        AcquireReply reply = state.store.acquire(new AcquireRequest(
                World.KEY, owner, LEASE.toMillis(), here, AcquireRequest.EXCLUSIVE, 1, false, false, TOKENS, 0, false));
        long token = ((AcquireReply.Granted) reply).token();
        begin(state, new Hold(owner, token, state.holds.size()));
    }

    private static void begin(State state, Hold hold) {
        state.holds.add(hold);
        state.current = hold;
    }

    /** Empty if the store refuses it. */
    private Optional<LockData> serve(State state, int hold, DataRequest request) {
        Optional<LockData> reply = state.store.data(state.network.apply(request));
        state.outcome = reply.isEmpty() ? ", and is refused" : "";
        if (reply.isPresent()
                && (hold > state.lastHold || (hold == state.lastHold && request.number() > state.lastWrite))) {
            state.lastHold = hold;
            state.lastWrite = request.number();
        }
        return reply;
    }

    private void read(State state, Hold hold) {
        Optional<LockData> reply =
                serve(state, hold.number, new DataRequest(World.KEY, hold.owner, hold.token, null, 0, Duration.ZERO));
        if (reply.isEmpty()) {
            state.broken = "P1: the holder may not read";
            return;
        }
        String read = reply.get().bytes().map(bytes -> new String(bytes, UTF_8)).orElse("nothing");
        state.outcome = ", " + read;
        if (!state.allowed.contains(read)) {
            state.broken = "P3: a holder reads " + read + ", but only " + state.allowed + " may be there";
        }
        settle(state, hold, read);
    }

    /** From now on there is this value, or one of a write of this holder that comes late. */
    private static void settle(State state, Hold hold, String value) {
        state.unanswered.removeIf(write -> write.hold != hold.number);
        int at = state.unanswered.stream().map(Write::value).toList().indexOf(value);
        state.unanswered.subList(0, at + 1).clear();
        state.allowed.clear();
        state.allowed.add(value);
        state.unanswered.forEach(write -> state.allowed.add(write.value));
    }

    private void write(State state, Hold hold, boolean answered) {
        String value = "write " + ++state.writes;
        var request = new DataRequest(
                World.KEY, hold.owner, hold.token, value.getBytes(UTF_8), ++hold.writes, Duration.ofDays(1));
        if (!answered) {
            Write write = new Write(hold.number, request, value, false);
            state.late.add(write);
            state.unanswered.add(write);
            state.allowed.add(value);
        } else if (serve(state, hold.number, request).isEmpty()) {
            state.broken = "P1: the holder may not write";
        } else {
            state.unanswered.clear();
            settle(state, hold, value);
        }
    }

    @Override
    public String describe(State state, int step) {
        String who = state.current == null
                ? ""
                : "thread " + state.current.number + " of client " + state.current.owner.clientId() + " ";
        return switch (step) {
            case ACQUIRES, ACQUIRES + 1 -> "client " + (step == ACQUIRES ? "A" : "B") + " acquires the lock";
            case HANDS_OFF -> who + "hands the lock to the next thread";
            case READS -> who + "reads";
            case WRITES -> who + "writes";
            case WRITES_WITHOUT_ANSWER -> who + "writes, and gives up waiting for the answer";
            case RELEASES -> who + "releases the lock";
            case EXPIRES -> "the lease ends";
            default ->
                state.late.get(step % ARRIVES).value + " arrives" + (step >= ARRIVES_TWICE ? ", and will again" : "");
        };
    }

    @Override
    public String outcome(State state) {
        return state.outcome;
    }

    @Override
    public long fingerprint(State state) {
        StringBuilder text = new StringBuilder();
        state.holds.forEach(hold -> text.append(hold.owner).append(hold.writes).append(' '));
        text.append(state.current == null ? "free" : state.current.number).append(state.writes);
        state.late.forEach(write -> text.append(write.value).append(write.again));
        state.unanswered.forEach(write -> text.append(write.value));
        text.append(state.allowed)
                .append(state.lastHold)
                .append(' ')
                .append(state.lastWrite)
                .append(state.broken);
        LockData data = state.store.data(DataRequest.read(World.KEY)).orElseThrow();
        data.bytes().ifPresent(bytes -> text.append(new String(bytes, UTF_8)));
        return text.toString().hashCode() * 0x9e3779b97f4a7c15L
                + new StringBuilder(text).reverse().toString().hashCode();
    }

    @Override
    public @Nullable String violation(State state) {
        return state.broken;
    }
}
