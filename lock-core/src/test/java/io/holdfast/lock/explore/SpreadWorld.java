package io.holdfast.lock.explore;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.explore.SpreadRun.Event;
import io.holdfast.lock.explore.SpreadRun.Phase;
import io.holdfast.lock.explore.SpreadRun.Send;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One state: the nodes, each with one lock, which are parts of one store in memory; the clients, and what is on its way between them. No
 * time passes.
 */
final class SpreadWorld {

    private static final HolderInfo HERE = new HolderInfo("host", 1, "main");

    /** What became of calls that were sent together. */
    private enum Fate {
        ON_ITS_WAY,
        CARRIED_OUT,
        /** Its caller no longer waits, and it may still arrive. */
        LATE
    }

    /** A message to a client. */
    record Message(int client, long sequence, Reservation reservation) {}

    private final SpreadSetting setting;
    private final List<Client> clients = new ArrayList<>();
    private final List<Message> messages = new ArrayList<>();
    private InMemoryLockStore store;
    int losses;
    int breaks;

    @Nullable
    String broken;

    /** A client, as the replies and events that it has received. */
    private static final class Client {
        final Map<Integer, List<Object>> answers = new TreeMap<>();
        final List<Event> events = new ArrayList<>();
        final List<Fate> fates = new ArrayList<>();
        List<Send> sends = List.of();
        /** Null before it starts. */
        @Nullable
        Phase phase;

        boolean wasGranted;

        Client copy() {
            Client copy = new Client();
            copy.answers.putAll(answers);
            copy.events.addAll(events);
            copy.fates.addAll(fates);
            copy.sends = sends;
            copy.phase = phase;
            copy.wasGranted = wasGranted;
            return copy;
        }

        boolean isOver() {
            return phase == Phase.GRANTED_AND_OVER || phase == Phase.REFUSED || phase == Phase.FAILED;
        }
    }

    SpreadWorld(SpreadSetting setting) {
        this.setting = setting;
        this.losses = setting.losses;
        this.breaks = setting.breaks;
        setting.clock.setToZero();
        store = new InMemoryLockStore(setting.clock, setting.clock);
        setting.clock.set(0);
        for (int i = 0; i < setting.wishes.size(); i++) {
            clients.add(new Client());
            store.listen(setting.wishes.get(i).clientId(), new Ear(setting, i));
        }
    }

    private SpreadWorld(SpreadWorld other) {
        setting = other.setting;
        other.clients.forEach(client -> clients.add(client.copy()));
        messages.addAll(other.messages);
        store = ObjectGraph.copy(other.store);
        losses = other.losses;
        breaks = other.breaks;
        broken = other.broken;
    }

    SpreadWorld copy() {
        return new SpreadWorld(this);
    }

    /** What the store says to a client goes to the state that is looked at. */
    private record Ear(SpreadSetting setting, int client) implements WakeListener {
        @Override
        public void granted(long sequence, Reservation reservation) {
            if (setting.current != null) {
                setting.current.messages.add(new Message(client, sequence, reservation));
            }
        }

        @Override
        public void awaited(long sequence, Waiters waiters) {}

        @Override
        public void connected() {}

        @Override
        public void disconnected() {}
    }

    // What can happen.

    int clients() {
        return clients.size();
    }

    int messages() {
        return messages.size();
    }

    int sends(int client) {
        return clients.get(client).sends.size();
    }

    boolean mayStart(int client) {
        return clients.get(client).phase == null;
    }

    boolean mayArrive(int client, int send) {
        return clients.get(client).fates.get(send) != Fate.CARRIED_OUT;
    }

    /** Whether the caller still waits for the reply. */
    boolean mayFail(int client, int send) {
        return clients.get(client).fates.get(send) == Fate.ON_ITS_WAY
                && clients.get(client).sends.get(send).awaited();
    }

    boolean mayGiveUp(int client) {
        return setting.givesUp
                && clients.get(client).phase == Phase.QUEUED
                && !setting.wishes.get(client).oneTry()
                && clients.get(client).events.stream().noneMatch(Event.BudgetEndsDuring.class::isInstance);
    }

    /** While it waits for the replies to its latest calls. */
    boolean mayRunOutOfBudget(int client) {
        return setting.givesUp
                && clients.get(client).phase == Phase.CALLING
                && !setting.wishes.get(client).oneTry()
                && clients.get(client).events.isEmpty();
    }

    void runsOutOfBudget(int client) {
        List<Send> sends = clients.get(client).sends;
        int latest = sends.size() - 1;
        while (!sends.get(latest).awaited()) {
            latest--;
        }
        clients.get(client).events.add(new Event.BudgetEndsDuring(latest));
    }

    boolean mayClose(int client) {
        return clients.get(client).phase == Phase.HOLDING;
    }

    void start(int client) {
        run(client);
    }

    void arrive(int client, int send, @Nullable List<Object> insteadOfReplies) {
        Client sender = clients.get(client);
        boolean awaited = mayFail(client, send);
        sender.fates.set(send, Fate.CARRIED_OUT);
        setting.current = this;
        List<Object> replies =
                sender.sends.get(send).calls().stream().map(this::carryOut).toList();
        if (awaited) {
            sender.answers.put(send, insteadOfReplies == null ? replies : insteadOfReplies);
            run(client);
        }
    }

    void fail(int client, int send, List<Object> insteadOfReplies) {
        clients.get(client).fates.set(send, Fate.LATE);
        clients.get(client).answers.put(send, insteadOfReplies);
        run(client);
    }

    /** A client that does not wait for a lock does not need it. */
    void deliver(int number) {
        Message message = messages.remove(number);
        if (clients.get(message.client()).phase == Phase.QUEUED) {
            happens(message.client(), new Event.IsGranted(message.sequence(), message.reservation()));
        }
    }

    void happens(int client, Event event) {
        clients.get(client).events.add(event);
        run(client);
    }

    private void run(int number) {
        Client client = clients.get(number);
        SpreadRun run = new SpreadRun(setting, setting.wishes.get(number), client.answers, client.events);
        client.phase = run.run();
        client.wasGranted |= client.phase == Phase.HOLDING;
        client.sends = List.copyOf(run.sends);
        while (client.fates.size() < client.sends.size()) {
            client.fates.add(Fate.ON_ITS_WAY);
        }
        if (run.broken != null && broken == null) {
            broken = run.broken;
        }
        if (client.phase == Phase.HOLDING) {
            for (int other = 0; other < clients.size(); other++) {
                if (other != number && clients.get(other).phase == Phase.HOLDING && share(other, number)) {
                    broken = "P1: two clients hold the same lock";
                }
            }
        }
    }

    private boolean share(int one, int other) {
        return setting.wishes.get(one).keys().stream()
                .anyMatch(setting.wishes.get(other).keys()::contains);
    }

    // The nodes.

    /** What the scripts do, by the store that the contract keeps consistent with them. */
    private Object carryOut(ScriptCall call) {
        List<String> words = new ArrayList<>();
        for (byte[] each : call.keysAndArgs()) {
            words.add(new String(each, StandardCharsets.UTF_8));
        }
        LockKey key = LockKey.of(words.get(0).replaceAll("^.*\\{|\\}$", ""));
        OwnerId owner = owner(words.get(1));
        String reply = switch (call.script()) {
            case ACQUIRE -> acquire(key, owner, words.size() > 5 ? words.get(5) : "0 0 1 1");
            case RELEASE -> String.valueOf(store.release(new ReleaseRequest(key, owner)));
            case LEAVE -> leave(key, owner, !words.get(2).equals("0"));
            default -> throw new IllegalStateException("No call of this model: " + call.script());
        };
        return reply.getBytes(StandardCharsets.UTF_8);
    }

    private static OwnerId owner(String text) {
        String[] parts = text.split(":", -1);
        return new OwnerId(parts[0], Long.parseLong(parts[1]));
    }

    private String acquire(LockKey key, OwnerId owner, String options) {
        boolean waiting = options.split(" ")[2].equals("1");
        AcquireReply reply = store.acquire(new AcquireRequest(
                key,
                owner,
                SpreadRun.LEASE.toMillis(),
                HERE,
                AcquireRequest.EXCLUSIVE,
                1,
                false,
                waiting,
                1,
                0,
                false));
        if (reply instanceof AcquireReply.Granted granted) {
            return "GRANTED " + granted.token() + " 1 0";
        }
        return reply instanceof AcquireReply.Held held
                ? "HELD " + held.storeMicros() + ' '
                        + TimeUnit.NANOSECONDS.toMicros(held.blockedFor().toNanos()) + " 0"
                : "BURIED";
    }

    private String leave(LockKey key, OwnerId owner, boolean cancels) {
        store.leave(key, owner, cancels ? SpreadRun.LEASE : Duration.ZERO, ReleaseRequest.ALL_TOKENS);
        return "LEFT";
    }

    // What must hold.

    /** @param stuck whether nothing more can happen */
    @Nullable
    String violation(boolean stuck) {
        if (broken != null) {
            return broken;
        }
        boolean allOver = clients.stream().allMatch(Client::isOver);
        if (stuck && !allOver) {
            return "P5: nothing more can happen, and somebody still waits";
        }
        if (allOver && clients.stream().noneMatch(SpreadWorld::isBusy)) {
            return afterwards();
        }
        return null;
    }

    /** Late calls may never arrive. */
    private static boolean isBusy(Client client) {
        return client.fates.contains(Fate.ON_ITS_WAY);
    }

    private @Nullable String afterwards() {
        for (LockKey key : setting.keys()) {
            var status = store.inspect(key);
            if (!status.holders().isEmpty() || status.waiters() > 0) {
                return "P7: lock " + key + " is left behind";
            }
        }
        boolean faultless = setting.losses == 0 && setting.breaks == 0 && !setting.givesUp;
        if (faultless && clients.stream().noneMatch(client -> client.wasGranted)) {
            return "P8: the locks were free, and nobody has got them";
        }
        for (int i = 0; i < clients.size(); i++) {
            if (faultless && !setting.wishes.get(i).oneTry() && !clients.get(i).wasGranted) {
                return "P5: client " + setting.wishes.get(i).clientId() + " has waited, and not got its locks";
            }
        }
        return null;
    }

    // For the explorer.

    long fingerprint(StateCode code, StateWriter writer) {
        code.reset();
        code.add(losses + 16L * breaks);
        code.add(broken == null ? 0 : broken.hashCode());
        for (Client client : clients) {
            code.add(client.phase == null ? -1 : client.phase.ordinal());
            client.fates.forEach(fate -> code.add(fate.ordinal()));
            client.answers.forEach((number, replies) -> {
                code.add(number);
                replies.forEach(reply -> code.add(kind(reply)));
            });
            code.add(client.events.size());
            client.events.forEach(event -> code.add(
                    event instanceof Event.IsGranted granted
                            ? granted.sequence()
                            : event instanceof Event.BudgetEndsDuring during
                                    ? -100 - during.send()
                                    : -event.getClass().getSimpleName().length()));
        }
        long micros = setting.clock.micros();
        writer.at(setting.clock.nanos(), micros, micros, SpreadRun.LEASE.toNanos());
        Map<?, ?> locks = new HashMap<>((Map<?, ?>) ObjectGraph.read(store, "locks"));
        setting.keys().forEach(key -> writer.write(locks.get(key)));
        messages.stream()
                .map(message -> 1_000L * message.client() + message.sequence())
                .sorted()
                .forEach(code::add);
        return code.fingerprint();
    }

    private static String kind(Object reply) {
        return reply instanceof byte[] text
                ? new String(text, StandardCharsets.UTF_8).split(" ")[0]
                : String.valueOf(reply);
    }

    String describe(int client, int send) {
        Send sent = clients.get(client).sends.get(send);
        ScriptCall call = sent.calls().get(0);
        return (clients.get(client).fates.get(send) == Fate.LATE ? "late " : "") + call.script() + " of "
                + new String(call.keysAndArgs()[1], StandardCharsets.UTF_8) + " for "
                + new String(call.keysAndArgs()[0], StandardCharsets.UTF_8);
    }

    String phase(int client) {
        return String.valueOf(clients.get(client).phase);
    }
}
