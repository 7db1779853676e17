package io.holdfast.lock.explore;

import io.holdfast.lock.quorum.QuorumStepper;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.HolderInfo;
import io.holdfast.lock.store.OwnerId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A client of a quorum: its acquisition runs in the real store, its lease counts from before the first server was asked. */
final class QuorumClient {

    private static final HolderInfo SOMEWHERE = new HolderInfo("web-1", 1, "main");

    enum Phase {
        IDLE,
        ASKING,
        HOLDING,
        OVER
    }

    final int number;
    final OwnerId owner;
    private final QuorumSetting setting;
    private final AcquireRequest request;

    Phase phase = Phase.IDLE;
    int tries;
    long sentAt;
    long token;
    long lastFencingToken;
    long deadline;

    /** What the servers have done in each round, the last one of which is open. */
    private List<List<Object>> rounds = new ArrayList<>();

    QuorumClient(int number, QuorumSetting setting) {
        this.number = number;
        this.setting = setting;
        tries = setting.tries;
        owner = new OwnerId(String.valueOf((char) ('A' + number)), 1);
        request = new AcquireRequest(
                World.KEY,
                owner,
                QuorumSetting.LEASE_MILLIS,
                SOMEWHERE,
                AcquireRequest.EXCLUSIVE,
                1,
                false,
                true,
                setting.block,
                0,
                false);
    }

    private QuorumClient(QuorumClient other) {
        number = other.number;
        owner = other.owner;
        setting = other.setting;
        request = other.request;
        phase = other.phase;
        tries = other.tries;
        sentAt = other.sentAt;
        token = other.token;
        lastFencingToken = other.lastFencingToken;
        deadline = other.deadline;
        rounds = new ArrayList<>(other.rounds);
    }

    QuorumClient copy() {
        return new QuorumClient(this);
    }

    int round() {
        return rounds.size();
    }

    boolean holds(long now) {
        return phase == Phase.HOLDING && now - deadline < 0;
    }

    void ask(QuorumWorld world) {
        tries--;
        phase = Phase.ASKING;
        sentAt = world.now;
        rounds.clear();
        goOn(world);
    }

    /** A server has answered, or failed. */
    void received(QuorumWorld world, int round, int server, Object what) {
        if (phase != Phase.ASKING || round != rounds.size()) {
            return;
        }
        List<Object> known = new ArrayList<>(rounds.get(round - 1));
        known.set(server, what);
        rounds.set(round - 1, known);
        if (setting.once(List.of(number, known), () -> QuorumStepper.isDecided(request, known, setting.clock))) {
            goOn(world);
        }
    }

    /** The store runs up to its next question. */
    private void goOn(QuorumWorld world) {
        List<List<Object>> course = List.copyOf(rounds);
        QuorumStepper.Run run =
                setting.once(List.of(number, course, ""), () -> QuorumStepper.acquire(request, course, setting.clock));
        run.released()
                .forEach((server, request) ->
                        world.send(QuorumWorld.What.RELEASE, this, server, null, 0, request.lastFencingToken()));
        QuorumStepper.Next next = run.next();
        if (next instanceof QuorumStepper.Next.Asks asks) {
            rounds.add(Collections.nCopies(QuorumSetting.SERVERS, QuorumStepper.NOTHING_YET));
            world.sendToAll(QuorumWorld.What.ACQUIRE, this, asks.request(), 0);
        } else if (next instanceof QuorumStepper.Next.Answers answer
                && answer.reply() instanceof AcquireReply.Granted grant) {
            granted(world, grant.token(), grant.tokens());
        } else if (next instanceof QuorumStepper.Next.Answers answer && answer.reply() instanceof AcquireReply.Held) {
            phase = Phase.IDLE;
            world.note(() -> "not acquired");
        } else {
            undo(world);
        }
        if (phase != Phase.ASKING) {
            rounds.clear();
        }
    }

    private void granted(QuorumWorld world, long granted, long reserved) {
        deadline = sentAt + QuorumSetting.LEASE;
        if (world.now - deadline >= 0) {
            undo(world);
            return;
        }
        phase = Phase.HOLDING;
        token = granted;
        lastFencingToken = granted + reserved / 2;
        world.entered(this);
    }

    void close(QuorumWorld world) {
        if (holds(world.now)) {
            phase = Phase.OVER;
            world.sendToAll(QuorumWorld.What.RELEASE, this, null, setting.block == 1 ? 0 : lastFencingToken);
        } else {
            undo(world);
        }
    }

    private void undo(QuorumWorld world) {
        phase = Phase.OVER;
        world.sendToAll(QuorumWorld.What.LEAVE, this, null, 0);
    }

    void write(StateCode code, QuorumWorld world) {
        code.add(phase.ordinal() + (tries << 4));
        if (phase == Phase.ASKING) {
            code.time(sentAt - world.now, QuorumSetting.LEASE);
            code.add(rounds.size());
            for (Object known : rounds.get(rounds.size() - 1)) {
                if (known instanceof AcquireReply.Granted granted) {
                    code.token(granted.token(), setting.tokenClock());
                } else {
                    code.add(known == QuorumStepper.NOTHING_YET ? -3 : known == QuorumStepper.FAILED ? -4 : -5);
                }
            }
        } else if (phase == Phase.HOLDING) {
            code.time(deadline - world.now, 0);
            code.token(token, setting.tokenClock());
            code.token(lastFencingToken, setting.tokenClock());
        }
    }

    static String millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
    }
}
