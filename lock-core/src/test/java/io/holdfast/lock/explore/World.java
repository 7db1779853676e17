package io.holdfast.lock.explore;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.Waiters;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.Requests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** One state: true time, the server, its clients, and what is on its way between them. */
final class World {

    static final LockKey KEY = LockKey.of("order:42");

    final Setting setting;
    final List<ModelClient> clients = new ArrayList<>();
    final List<Message> network;
    InMemoryLockStore store;
    long now;
    long serverAhead;
    int lateCalls;
    int duplicates;
    int forgeries;
    int losses;
    int blinks;
    int clockSteps;
    long highestToken;
    long highestGranted;
    OwnerId grantedLast;
    long highestWritten;
    String broken;
    String noted = "";

    World(Setting setting) {
        this.setting = setting;
        this.network = new ArrayList<>();
        for (int i = 0; i < setting.clients(); i++) {
            String clientId = setting.clones ? "A" : String.valueOf((char) ('A' + i));
            clients.add(new ModelClient(i, clientId, setting.limits.get(i), setting));
        }
        lateCalls = setting.lateCalls;
        duplicates = setting.duplicates;
        forgeries = setting.forgeries;
        losses = setting.losses;
        blinks = setting.blinks;
        clockSteps = (1 << setting.clockSteps.size()) - 1;
        store = newStore();
        sync();
    }

    private World(World other) {
        setting = other.setting;
        other.clients.forEach(client -> clients.add(client.copy()));
        network = new ArrayList<>(other.network);
        store = ObjectGraph.copy(other.store);
        now = other.now;
        serverAhead = other.serverAhead;
        lateCalls = other.lateCalls;
        duplicates = other.duplicates;
        forgeries = other.forgeries;
        losses = other.losses;
        blinks = other.blinks;
        clockSteps = other.clockSteps;
        highestToken = other.highestToken;
        highestGranted = other.highestGranted;
        grantedLast = other.grantedLast;
        highestWritten = other.highestWritten;
        broken = other.broken;
    }

    World copy() {
        return new World(this);
    }

    /** Its clock counts from the same moment as every other server's, as that of Redis does. */
    private InMemoryLockStore newStore() {
        setting.serverClock.setToZero();
        InMemoryLockStore made = new InMemoryLockStore(setting.serverClock, setting.serverClock);
        Set<String> ids = new HashSet<>();
        clients.forEach(client -> ids.add(client.clientId));
        ids.forEach(id -> made.listen(id, new Ear(setting, id)));
        return made;
    }

    /** What the store says to a client goes to the network of the state that is looked at. */
    private record Ear(Setting setting, String clientId) implements WakeListener {
        @Override
        public void granted(long sequence, Reservation reservation) {
            World world = setting.current;
            if (world != null) {
                Rules.checkGrant(world, new OwnerId(clientId, sequence), reservation.token());
                world.add(new Message.Granted(new OwnerId(clientId, sequence), reservation));
            }
        }

        @Override
        public void awaited(long sequence, Waiters waiters) {}

        @Override
        public void connected() {}

        @Override
        public void disconnected() {}
    }

    /** The clocks show the time of this state. */
    void sync() {
        setting.clock.set(now);
        setting.serverClock.set(now + serverAhead);
        setting.current = this;
    }

    void broken(String what) {
        if (broken == null) {
            broken = what;
        }
    }

    void note(String what) {
        if (setting.tracing && !what.isEmpty()) {
            noted += ", " + what;
        }
    }

    void send(ModelClient client, Message.Request request) {
        add(new Message.Call(client.number, request, true, 0));
    }

    /** Repeated until it has arrived. */
    void inBackground(ModelClient client, Message.Request request) {
        add(new Message.Call(client.number, request, false, Long.MAX_VALUE));
    }

    /** Those that may be exchanged are kept in one order. */
    void add(Message message) {
        network.add(message);
        network.sort(Comparator.comparingInt(Message::rank));
    }

    /** The client does not wait for the answer to its own thread's call any more. */
    void dropSide(ModelClient client) {
        if (client.side != null) {
            giveUp(client.number, client.side);
            client.side = null;
        }
    }

    /** A call that the client waits for may now arrive late or never, and its answer is not looked at. */
    void giveUp(int client, Message.What what) {
        network.removeIf(each -> each instanceof Message.Answer answer && isOf(answer, client, what));
        for (int i = 0; i < network.size(); i++) {
            if (network.get(i) instanceof Message.Call call
                    && call.awaited()
                    && call.client() == client
                    && call.what() == what) {
                network.set(i, call.givenUp(now + setting.leaseNanos));
            }
        }
        network.sort(Comparator.comparingInt(Message::rank));
    }

    private static boolean isOf(Message.Answer answer, int client, Message.What what) {
        return answer.client() == client && answer.what() == what;
    }

    /** The store carries out a call. */
    void serve(int at, boolean again) {
        Message.Call call = (Message.Call) network.get(at);
        if (again) {
            network.set(at, call.givenUp(now + setting.leaseNanos));
        } else {
            network.remove(at);
        }
        Flaws.beforeCall(setting, store);
        Object reply = run(call);
        if (call.awaited()) {
            add(new Message.Answer(call.client(), call.request(), again ? resent(reply) : reply));
        }
        network.sort(Comparator.comparingInt(Message::rank));
        if (setting.tracing) {
            note(describeReply(reply));
        }
        if (reply instanceof AcquireReply.Granted granted) {
            Rules.checkGrant(this, call.owner(), granted.token());
        }
        if (!call.awaited() && call.what() == Message.What.ACQUIRE && !(reply instanceof AcquireReply.Cancelled)) {
            Rules.checkGhost(this, call);
        }
    }

    Object run(Message.Call call) {
        OwnerId owner = call.owner();
        Object body = call.request().body();
        return switch (call.what()) {
            case ACQUIRE -> store.acquire((AcquireRequest) body);
            case RELEASE -> store.release((ReleaseRequest) body);
            case LEAVE -> {
                Message.Leave leave = (Message.Leave) body;
                Rules.tokenReturned(this, owner, leave);
                store.leave(KEY, owner, Duration.ofNanos(leave.cancelledNanos()), leave.lastFencingToken());
                yield "left";
            }
            case KEEP ->
                store.keepEntries(List.of(Requests.entries(KEY, List.of(owner))))
                        .get(0);
            case RENEW ->
                store.renew(List.of(Requests.renewal(KEY, owner, TimeUnit.NANOSECONDS.toMillis(setting.leaseNanos))))
                        .get(0);
        };
    }

    /** The driver knows that it has sent the call twice. */
    private static Object resent(Object reply) {
        if (reply instanceof AcquireReply.Granted granted) {
            return new AcquireReply.Granted(granted.token(), granted.tokens(), granted.waiters(), true);
        } else if (reply instanceof AcquireReply.Held held) {
            return new AcquireReply.Held(held.holder(), held.storeMicros(), held.blockedFor(), held.queued(), true);
        }
        return reply;
    }

    private String describeReply(Object reply) {
        if (reply instanceof AcquireReply.Granted granted) {
            return "granted by token " + name(granted.token());
        } else if (reply instanceof AcquireReply.Held) {
            return "held";
        } else if (reply instanceof EntryReply.Kept kept) {
            return kept.called().isEmpty() ? "kept" : "called";
        }
        return String.valueOf(reply).replace("[]", "");
    }

    /** Tokens are microseconds: for people, since the beginning. */
    String name(long granted) {
        return String.valueOf(granted - ModelClock.START_MICROS);
    }

    /** A restart takes longer than the tokens of one moment are ahead of the clock. */
    void loseData() {
        losses--;
        now += TimeUnit.MILLISECONDS.toNanos(1);
        store = newStore();
        sync();
    }

    /** A hold begins. */
    void entered(ModelClient client) {
        if (client.isExclusive() || clients.stream().allMatch(ModelClient::isExclusive)) {
            if (client.token() <= highestToken && setting.tokens && setting.isFaithful()) {
                broken("P3: client " + client.clientId + " holds the lock by token " + name(client.token())
                        + ", after a token " + name(highestToken));
            }
        }
        highestToken = Math.max(highestToken, client.token());
        if (setting.tracing) {
            note(client.clientId + " holds the lock by token " + name(client.token()) + " for "
                    + TimeUnit.NANOSECONDS.toMillis(client.deadline() - setting.clock.nanos()) + " ms");
        }
    }

    /** The holder writes what the lock guards, with its token. */
    void write(ModelClient client) {
        client.checked = false;
        boolean refused = setting.writes == Setting.Writes.CHECKED && client.token() < highestWritten;
        if (!refused && client.token() < highestWritten) {
            broken("Client " + client.clientId + " overwrites what was written by token " + name(highestWritten)
                    + ", with its own " + name(client.token()));
        }
        highestWritten = Math.max(highestWritten, client.token());
        note(refused ? "which is refused" : "");
    }

    long fingerprint(StateCode code, StateWriter writer) {
        long back = setting.mostBack();
        long clamp = Math.max(setting.leaseNanos, 2 * Setting.QUANTUM) + setting.clockStepsInAll();
        code.reset();
        code.add(lateCalls + (duplicates << 4) + (forgeries << 8) + (losses << 12) + (blinks << 16));
        code.add(clockSteps);
        code.add(broken == null ? 0 : broken.hashCode());
        code.token(highestToken, setting.tokenClock());
        code.token(highestGranted, setting.tokenClock());
        code.add(grantedLast == null ? 0 : grantedLast.hashCode());
        code.token(highestWritten, setting.tokenClock());
        writer.at(setting.serverClock.nanos(), setting.serverClock.micros(), setting.tokenClock(), back);
        StoreView.of(store).write(writer);
        writer.at(setting.clock.nanos(), setting.serverClock.micros(), setting.tokenClock(), clamp);
        clients.forEach(client -> client.write(code, writer, clamp));
        network.forEach(message -> write(message, code, writer, clamp));
        return code.fingerprint();
    }

    private void write(Message message, StateCode code, StateWriter writer, long clamp) {
        code.add(message.rank());
        if (message instanceof Message.Call call) {
            code.add(code(call.request().body()));
            if (!call.awaited() && call.arrivesUntil() != Long.MAX_VALUE) {
                code.time(call.arrivesUntil() - now, 0);
            }
        } else if (message instanceof Message.Granted hint) {
            writer.write(hint.reservation());
        } else if (message instanceof Message.Answer answer) {
            if (answer.reply() instanceof AcquireReply.Granted granted) {
                code.token(granted.token(), setting.tokenClock());
                code.add(granted.resent());
            } else if (answer.reply() instanceof AcquireReply.Held held) {
                write(held.storeMicros(), sentAt(answer), code, writer, clamp);
                code.add(held.resent());
            } else if (answer.reply() instanceof EntryReply.Kept kept) {
                code.add(kept.called().size());
                write(kept.storeMicros(), sentAt(answer), code, writer, clamp);
            } else {
                code.add(String.valueOf(answer.reply()).hashCode());
            }
        }
    }

    private static int code(Object body) {
        if (body instanceof Message.Leave leave) {
            return (leave.cancelledNanos() > 0 ? 2 : 0)
                    + (leave.lastFencingToken() == ReleaseRequest.ALL_TOKENS ? 4 : 8);
        }
        return body instanceof AcquireRequest acquire && acquire.waiting() ? 1 : 0;
    }

    private long sentAt(Message.Answer answer) {
        return clients.get(answer.client()).sentAt(answer.what());
    }

    private void write(long storeMicros, long sentAt, StateCode code, StateWriter writer, long clamp) {
        writer.asked(sentAt, storeMicros);
        code.time(storeMicros - setting.serverClock.micros(), TimeUnit.NANOSECONDS.toMicros(clamp));
    }

    /** The answer to a call that was just sent comes at once. */
    void answerNow(ModelClient client, Message.What what) {
        for (int i = 0; i < network.size(); i++) {
            if (network.get(i) instanceof Message.Call call
                    && call.awaited()
                    && call.client() == client.number
                    && call.what() == what) {
                serve(i, false);
                break;
            }
        }
        for (int i = 0; i < network.size(); i++) {
            if (network.get(i) instanceof Message.Answer answer && isOf(answer, client.number, what)) {
                network.remove(i);
                client.answered(this, answer);
                return;
            }
        }
    }
}
