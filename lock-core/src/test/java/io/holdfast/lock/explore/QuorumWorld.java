package io.holdfast.lock.explore;

import io.holdfast.lock.quorum.QuorumStepper;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.ReleaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One state of a quorum: true time, three servers, the clients, and what is on its way between them. */
final class QuorumWorld {

    enum What {
        ACQUIRE,
        RELEASE,
        LEAVE
    }

    /**
     * A call to one server, or, with what it has answered, the answer.
     *
     * @param lastFencingToken of a release: which of its tokens was used last
     * @param lateUntil of a call that was given up: until when it may arrive; else 0
     */
    record Mail(
            What what,
            int client,
            int server,
            int round,
            @Nullable AcquireRequest request,
            @Nullable Object answer,
            long lastFencingToken,
            long lateUntil) {

        Mail answered(Object with) {
            return new Mail(what, client, server, round, null, with, 0, 0);
        }

        Mail late(long until) {
            return new Mail(what, client, server, round, request, null, lastFencingToken, until);
        }

        int rank() {
            return (lateUntil > 0 ? 256 : 0) + (answer != null ? 128 : 0) + (client << 4) + server;
        }
    }

    final QuorumSetting setting;
    final List<QuorumServer> servers = new ArrayList<>();
    final List<QuorumClient> clients = new ArrayList<>();
    final List<Mail> mails;
    long now;
    int restarts;
    int failures;
    int renewals;
    long highestToken;

    @Nullable
    String broken;

    String noted = "";

    QuorumWorld(QuorumSetting setting) {
        this.setting = setting;
        mails = new ArrayList<>();
        for (int i = 0; i < QuorumSetting.SERVERS; i++) {
            servers.add(new QuorumServer(setting, i));
        }
        for (int i = 0; i < setting.clients; i++) {
            clients.add(new QuorumClient(i, setting));
        }
        restarts = setting.restarts;
        failures = setting.failures;
        renewals = setting.renewals;
    }

    private QuorumWorld(QuorumWorld other) {
        setting = other.setting;
        mails = new ArrayList<>(other.mails);
        other.servers.forEach(server -> servers.add(server.copy()));
        other.clients.forEach(client -> clients.add(client.copy()));
        now = other.now;
        restarts = other.restarts;
        failures = other.failures;
        renewals = other.renewals;
        highestToken = other.highestToken;
        broken = other.broken;
    }

    QuorumWorld copy() {
        return new QuorumWorld(this);
    }

    void sync() {
        setting.clock.set(now);
    }

    void note(Supplier<String> what) {
        if (setting.tracing) {
            noted += ", " + what.get();
        }
    }

    void sendToAll(What what, QuorumClient client, @Nullable AcquireRequest request, long lastFencingToken) {
        for (int server = 0; server < servers.size(); server++) {
            send(what, client, server, request, client.round(), lastFencingToken);
        }
    }

    /** Calls of one acquisition to one server arrive in their order, and answers to former rounds count no more. */
    void send(
            What what,
            QuorumClient client,
            int server,
            @Nullable AcquireRequest request,
            int round,
            long lastFencingToken) {
        mails.add(new Mail(what, client.number, server, round, request, null, lastFencingToken, 0));
        mails.sort(Comparator.comparingInt(Mail::rank));
    }

    boolean isFirst(int at) {
        Mail mail = mails.get(at);
        return at == 0 || mail.lateUntil() > 0 || mails.get(at - 1).rank() != mail.rank();
    }

    void arrive(int at) {
        Mail mail = mails.remove(at);
        QuorumClient client = clients.get(mail.client());
        if (mail.answer() != null) {
            client.received(this, mail.round(), mail.server(), mail.answer());
        } else {
            serve(mail, client);
        }
        mails.removeIf(each -> each.answer() != null
                && (clients.get(each.client()).phase != QuorumClient.Phase.ASKING
                        || clients.get(each.client()).round() != each.round()));
    }

    private void serve(Mail mail, QuorumClient client) {
        QuorumServer server = servers.get(mail.server());
        switch (mail.what()) {
            case ACQUIRE -> {
                AcquireReply reply = server.acquire(mail.request(), now);
                note(() -> describeReply(reply));
                Object answer = reply == null ? QuorumStepper.FAILED : reply;
                if (mail.lateUntil() == 0 && !setting.slowAnswers) {
                    client.received(this, mail.round(), mail.server(), answer);
                } else if (mail.lateUntil() == 0) {
                    mails.add(mail.answered(answer));
                    mails.sort(Comparator.comparingInt(Mail::rank));
                }
            }
            case RELEASE ->
                server.store(now)
                        .release(new ReleaseRequest(
                                World.KEY,
                                client.owner,
                                Duration.ZERO,
                                mail.lastFencingToken(),
                                ReleaseRequest.UNKNOWN_LEASE,
                                AcquireRequest.EXCLUSIVE));
            case LEAVE ->
                server.store(now)
                        .leave(
                                World.KEY,
                                client.owner,
                                Duration.ofNanos(QuorumSetting.LEASE),
                                ReleaseRequest.ALL_TOKENS);
        }
    }

    private static String describeReply(@Nullable AcquireReply reply) {
        if (reply instanceof AcquireReply.Granted granted) {
            return "granted by token " + name(granted.token());
        }
        return reply == null
                ? "refused, since the server may have forgotten it"
                : reply.getClass().getSimpleName();
    }

    static String name(long granted) {
        return String.valueOf(granted - ModelClock.START_MICROS);
    }

    /** There is no answer, and a call that was not carried out yet may be, or not. */
    void fail(int at) {
        failures--;
        Mail mail = mails.remove(at);
        if (mail.answer() == null) {
            mails.add(mail.late(now + QuorumSetting.LEASE));
            mails.sort(Comparator.comparingInt(Mail::rank));
        }
        clients.get(mail.client()).received(this, mail.round(), mail.server(), QuorumStepper.FAILED);
    }

    void renew(QuorumClient client, int without) {
        renewals--;
        long leaseMillis = QuorumStepper.onEachNode(QuorumSetting.LEASE_MILLIS);
        int renewed = 0;
        for (int server = 0; server < servers.size(); server++) {
            renewed += server != without && servers.get(server).renew(client.owner, leaseMillis, now) ? 1 : 0;
        }
        if (renewed > QuorumSetting.SERVERS / 2) {
            client.deadline = now + QuorumSetting.LEASE;
            note(() -> "renewed");
        }
    }

    void entered(QuorumClient client) {
        if (client.token <= highestToken) {
            broken = "P3: client " + client.owner.clientId() + " holds the lock by token " + name(client.token)
                    + ", after a token " + name(highestToken);
        }
        highestToken = Math.max(highestToken, client.lastFencingToken);
        note(() -> client.owner.clientId() + " holds the lock by token " + name(client.token) + " for "
                + QuorumClient.millis(client.deadline - now));
    }

    void forget() {
        mails.removeIf(mail -> mail.lateUntil() > 0 && mail.lateUntil() - now <= 0);
    }

    @Nullable
    String violation() {
        int holders = 0;
        for (QuorumClient client : clients) {
            holders += client.holds(now) ? 1 : 0;
            if (broken == null && setting.restarts == 0 && client.holds(now) && !isKept(client)) {
                return "P2: fewer than two servers keep the lock for client " + client.owner.clientId()
                        + " for as long as that believes";
            }
        }
        return holders > 1 && broken == null ? "P1: two handles hold the lock" : broken;
    }

    private boolean isKept(QuorumClient client) {
        return servers.stream()
                        .filter(server -> server.keeps(client.owner, client.deadline, now))
                        .count()
                > QuorumSetting.SERVERS / 2;
    }

    long fingerprint(StateCode code, StateWriter writer) {
        code.reset();
        code.add(restarts + (failures << 4) + (renewals << 8));
        code.add(broken == null ? 0 : broken.hashCode());
        code.token(highestToken, setting.tokenClock());
        servers.forEach(server -> server.write(code, writer, now));
        clients.forEach(client -> client.write(code, this));
        for (Mail mail : mails) {
            code.add(mail.rank() + (mail.what().ordinal() << 10) + (mail.round() << 12));
            if (mail.lateUntil() > 0) {
                code.time(mail.lateUntil() - now, 0);
            }
            if (mail.lastFencingToken() > 0) {
                code.token(mail.lastFencingToken(), setting.tokenClock());
            }
            if (mail.request() != null) {
                code.token(mail.request().leastToken(), setting.tokenClock());
                code.add(mail.request().raising());
            } else if (mail.answer() instanceof AcquireReply.Granted granted) {
                code.token(granted.token(), setting.tokenClock());
            } else if (mail.answer() != null) {
                code.add(mail.answer() == QuorumStepper.FAILED ? -4 : -5);
            }
        }
        return code.fingerprint();
    }
}
