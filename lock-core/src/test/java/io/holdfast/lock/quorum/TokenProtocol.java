package io.holdfast.lock.quorum;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * A model of how a quorum chooses fencing tokens, of which every possible course is tried: three servers whose clocks
 * differ, and two clients that each want the lock once, by at most {@value #ROUNDS} rounds of questions. Every message may
 * come at any time later, or never; every lease may end at any time, on the servers only after its client knows.
 *
 * <p>A grant counts once two servers have granted the lock by the same token, and no token that counts may be lower than
 * one that counted before.
 */
final class TokenProtocol {

    static final int ROUNDS = 2;

    /** What a server does with a token that is proposed for a lock which that client holds. */
    enum Rule {
        /** It notes the token if it is higher than the client's, above all that it has noted. */
        CONDITIONAL,
        /** It notes it, whatever it has noted before, and whoever holds the lock now. */
        UNCONDITIONAL
    }

    private static final int SERVERS = 3;
    private static final int CLIENTS = 2;
    private static final int MAJORITY = 2;
    private static final byte[] CLOCKS = {1, 4, 8};

    /** What a server knows. */
    private static final int LAST = 0;

    private static final int HOLDER = 1;
    private static final int TOKEN = 2;
    private static final int SERVER_SIZE = 3;

    /** What a client knows: what it does, its question, and the answers to that. */
    private static final int STATUS = 0;

    private static final int ROUND = 1;
    private static final int PROPOSED = 2;
    private static final int REPLIES = 3;
    private static final int CLIENT_SIZE = REPLIES + SERVERS;

    private static final byte ASKING = 1;
    private static final byte HOLDING = 2;
    private static final byte OVER = 3;

    private static final int CLIENTS_AT = SERVERS * SERVER_SIZE;
    private static final int NETWORK_AT = CLIENTS_AT + CLIENTS * CLIENT_SIZE;
    private static final byte REQUEST = 1;
    private static final byte REPLY = 2;
    private static final byte DELIVERED = 3;
    private static final byte REFUSED = -1;
    private static final int MESSAGES = CLIENTS * SERVERS * ROUNDS;
    private static final int COUNTED_AT = NETWORK_AT + 3 * MESSAGES;

    private final Rule rule;
    private final Set<ByteBuffer> known = new HashSet<>();
    private final Deque<byte[]> open = new ArrayDeque<>();
    private int violations;
    private int counted;

    TokenProtocol(Rule rule) {
        this.rule = rule;
    }

    /** Tries every course. */
    void explore() {
        byte[] start = new byte[COUNTED_AT + 1];
        for (int client = 0; client < CLIENTS; client++) {
            ask(start, client, (byte) 1, (byte) 0);
        }
        add(start);
        while (!open.isEmpty()) {
            expand(open.pop());
        }
    }

    int states() {
        return known.size();
    }

    int violations() {
        return violations;
    }

    /** How often a grant counted after another. */
    int counted() {
        return counted;
    }

    private void add(byte[] state) {
        if (known.add(ByteBuffer.wrap(state))) {
            open.push(state);
        }
    }

    private void step(byte[] state, Consumer<byte[]> change) {
        byte[] next = state.clone();
        change.accept(next);
        forgetWhatDoesNotMatter(next);
        add(next);
    }

    /** Answers to a question that is not asked any more change nothing; states that differ in them only are the same. */
    private static void forgetWhatDoesNotMatter(byte[] state) {
        for (int client = 0; client < CLIENTS; client++) {
            int me = client(client);
            for (int server = 0; server < SERVERS; server++) {
                for (int round = 1; round <= ROUNDS; round++) {
                    int message = message(client, server, round);
                    boolean awaited = state[me + STATUS] == ASKING && state[me + ROUND] == round;
                    if (state[message] == DELIVERED || (state[message] == REPLY && !awaited)) {
                        state[message] = DELIVERED;
                        state[message + 1] = 0;
                        state[message + 2] = 0;
                    }
                }
                if (state[me + STATUS] != ASKING) {
                    state[me + REPLIES + server] = 0;
                }
            }
        }
        for (int server = 0; server < SERVERS; server++) {
            if (state[server(server) + HOLDER] == 0) {
                state[server(server) + TOKEN] = 0;
            }
        }
    }

    private void expand(byte[] state) {
        for (int client = 0; client < CLIENTS; client++) {
            int me = client;
            for (int server = 0; server < SERVERS; server++) {
                int at = server;
                for (int round = 1; round <= ROUNDS; round++) {
                    deliver(state, me, at, round);
                }
                if (state[server(at) + HOLDER] == me + 1 && state[client(me) + STATUS] == OVER) {
                    step(state, next -> next[server(at) + HOLDER] = 0);
                }
            }
            decide(state, me);
            if (state[client(me) + STATUS] != OVER) {
                step(state, next -> next[client(me) + STATUS] = OVER);
            }
        }
    }

    private static int server(int number) {
        return number * SERVER_SIZE;
    }

    private static int client(int number) {
        return CLIENTS_AT + number * CLIENT_SIZE;
    }

    /** Where a message is: how far it has come, the proposal, the answer. */
    private static int message(int client, int server, int round) {
        return NETWORK_AT + 3 * ((client * SERVERS + server) * ROUNDS + round - 1);
    }

    private static void ask(byte[] state, int client, byte round, byte proposed) {
        int me = client(client);
        state[me + STATUS] = ASKING;
        state[me + ROUND] = round;
        state[me + PROPOSED] = proposed;
        for (int server = 0; server < SERVERS; server++) {
            state[me + REPLIES + server] = 0;
            int message = message(client, server, round);
            state[message] = REQUEST;
            state[message + 1] = proposed;
        }
    }

    private void deliver(byte[] state, int client, int server, int round) {
        int message = message(client, server, round);
        if (state[message] == REQUEST) {
            step(state, next -> {
                next[message + 2] = answer(next, client, server, round, next[message + 1]);
                next[message] = REPLY;
            });
        } else if (state[message] == REPLY) {
            step(state, next -> {
                next[message] = DELIVERED;
                if (next[client(client) + STATUS] == ASKING && next[client(client) + ROUND] == round) {
                    next[client(client) + REPLIES + server] = next[message + 2];
                }
            });
        }
    }

    private byte answer(byte[] state, int client, int server, int round, byte proposed) {
        int at = server(server);
        byte me = (byte) (client + 1);
        if (rule == Rule.UNCONDITIONAL && round > 1) {
            state[at + LAST] = proposed;
            return proposed;
        }
        if (state[at + HOLDER] != 0 && state[at + HOLDER] != me) {
            return REFUSED;
        }
        if (state[at + HOLDER] == 0) {
            state[at + HOLDER] = me;
            state[at + TOKEN] = (byte) Math.max(Math.max(state[at + LAST] + 1, proposed), CLOCKS[server]);
        } else if (round > 1 && state[at + TOKEN] < proposed) {
            state[at + TOKEN] = proposed;
        }
        state[at + LAST] = (byte) Math.max(state[at + LAST], state[at + TOKEN]);
        return state[at + TOKEN];
    }

    /** As soon as a majority has answered, though it need not: a later answer may come first. */
    private void decide(byte[] state, int client) {
        int me = client(client);
        int granted = 0;
        int agreed = 0;
        byte highest = 0;
        for (int server = 0; server < SERVERS; server++) {
            highest = (byte) Math.max(highest, state[me + REPLIES + server]);
        }
        for (int server = 0; server < SERVERS; server++) {
            granted += state[me + REPLIES + server] > 0 ? 1 : 0;
            agreed += state[me + REPLIES + server] == highest ? 1 : 0;
        }
        if (state[me + STATUS] != ASKING || granted < MAJORITY) {
            return;
        }
        byte token = highest;
        if (agreed >= MAJORITY) {
            step(state, next -> count(next, me, token));
        } else if (state[me + ROUND] < ROUNDS) {
            step(state, next -> ask(next, client, (byte) (next[me + ROUND] + 1), token));
        }
    }

    private void count(byte[] state, int me, byte token) {
        state[me + STATUS] = HOLDING;
        if (state[COUNTED_AT] != 0) {
            counted++;
        }
        if (token <= state[COUNTED_AT]) {
            violations++;
        }
        state[COUNTED_AT] = token;
    }
}
