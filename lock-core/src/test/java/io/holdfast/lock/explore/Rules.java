package io.holdfast.lock.explore;

import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseRequest;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What must hold in every state, and what of a state does not matter. */
final class Rules {

    private static final long MAX_AHEAD_MICROS = TimeUnit.MILLISECONDS.toMicros(1_100);

    private Rules() {}

    /** Those that want the same are interchangeable, so they begin in their order. */
    static boolean mayStart(World world, ModelClient client) {
        for (ModelClient other : world.clients) {
            if (other.number < client.number && other.limit == client.limit && other.started == 0) {
                return false;
            }
        }
        return true;
    }

    static void deliver(World world, Message.Granted hint) {
        for (ModelClient client : world.clients) {
            if (client.awaits(hint.owner())) {
                client.granted(world, hint);
            }
        }
    }

    /** Drops messages to entries that are given up, and late calls that will never arrive. */
    static void forget(World world) {
        if (!world.setting.has(Defect.SAME_OWNER_IDS)) {
            world.network.removeIf(message -> message instanceof Message.Granted hint
                    && world.clients.stream().noneMatch(client -> client.awaits(hint.owner())));
        }
        world.network.removeIf(message ->
                message instanceof Message.Call call && !call.awaited() && call.arrivesUntil() - world.now <= 0);
    }

    /** A claim by message is as long as a reservation at most, by a token that is near the store's time. */
    static void checkClaim(World world, ModelClient client) {
        long left = client.deadline() - world.setting.clock.nanos();
        if (left > LockStore.RESERVATION.toNanos()) {
            world.broken("P2: client " + client.clientId + " believes a message that it holds the lock for "
                    + TimeUnit.NANOSECONDS.toMillis(left) + " ms");
        }
        if (client.token() - world.setting.serverClock.micros() > MAX_AHEAD_MICROS) {
            world.broken("P3: client " + client.clientId + " believes a message with token " + client.token());
        }
    }

    /**
     * The store grants by ever higher tokens, whatever became of its data and its clock. Where neither was touched, what the
     * clients see is looked at instead.
     */
    static void checkGrant(World world, OwnerId owner, long token) {
        if (world.setting.isFaithful() || !world.setting.tokens) {
            return;
        }
        for (ModelClient client : world.clients) {
            if (client.awaits(owner)) {
                if (client.granted != token && token <= world.highestGranted) {
                    world.broken("P3: the store grants the lock to " + owner + " by token " + world.name(token)
                            + ", after a token " + world.name(world.highestGranted));
                }
                client.granted = token;
            }
        }
        world.highestGranted = Math.max(world.highestGranted, token);
        world.grantedLast = owner;
    }

    /** A token that was not used may be granted again. */
    static void tokenReturned(World world, OwnerId owner, Message.Leave leave) {
        if (owner.equals(world.grantedLast) && leave.lastFencingToken() == ReleaseRequest.NO_TOKEN) {
            world.highestGranted--;
            world.grantedLast = null;
        }
    }

    /** A late call of an acquisition that has ended gets neither lock nor entry, unless that is still to be undone. */
    static void checkGhost(World world, Message.Call call) {
        ModelClient client = world.clients.get(call.client());
        boolean goesOn = call.owner().equals(client.owner());
        if (!goesOn && !isBeingEnded(world, call.owner(), true)) {
            world.broken("P7: a late call of client " + client.clientId + " was accepted, though it was undone before");
        }
    }

    static @Nullable String violation(World world) {
        if (world.broken != null) {
            return world.broken;
        }
        String broken = exclusion(world);
        if (broken == null && world.setting.isFaithful()) {
            broken = deadlines(world);
        }
        if (broken == null && world.setting.isFaithful()) {
            broken = leftBehind(world);
        }
        if (broken == null && world.setting.progress) {
            broken = Progress.violation(world);
        }
        return broken;
    }

    private static @Nullable String exclusion(World world) {
        if (!world.setting.isFaithful()) {
            return null;
        }
        int holders = 0;
        int room = Integer.MAX_VALUE;
        for (ModelClient client : world.clients) {
            if (client.holds()) {
                holders++;
                room = Math.min(room, client.limit == AcquireRequest.EXCLUSIVE ? 1 : client.limit);
            }
        }
        return holders > room ? "P1: " + holders + " handles hold the lock, " + room + " may" : null;
    }

    /** Whoever believes to hold the lock holds it at the store, and for as long as he believes. */
    private static @Nullable String deadlines(World world) {
        for (ModelClient client : world.clients) {
            if (client.holds()) {
                long atStore = StoreView.of(world.store).leaseEnd(client.owner(), Long.MIN_VALUE);
                if (atStore == Long.MIN_VALUE
                        || atStore - world.setting.serverClock.nanos()
                                < client.deadline() - world.setting.clock.nanos()) {
                    return "P2: the store does not keep the lock for client " + client.clientId
                            + " for as long as that believes";
                }
            }
        }
        return null;
    }

    /** The store keeps a lock or an entry only for acquisitions that go on, or whose end is on its way to it. */
    private static @Nullable String leftBehind(World world) {
        for (OwnerId owner : StoreView.of(world.store).owners(world.setting.serverClock.nanos())) {
            boolean goesOn = world.clients.stream().anyMatch(client -> owner.equals(client.owner()));
            if (!goesOn && !isBeingEnded(world, owner, false)) {
                return "P7: the store keeps a lock or an entry for " + owner
                        + ", which has ended, and nobody tells it so";
            }
        }
        return null;
    }

    /** @param late whether a call counts that may never arrive */
    private static boolean isBeingEnded(World world, OwnerId owner, boolean late) {
        return world.network.stream()
                .anyMatch(each -> each instanceof Message.Call call
                        && call.owner().equals(owner)
                        && (call.what() == Message.What.LEAVE || call.what() == Message.What.RELEASE)
                        && (late || call.awaited() || call.arrivesUntil() == Long.MAX_VALUE));
    }

    static String describe(World world, Message message, String what) {
        if (message instanceof Message.Call call) {
            String who = "of client " + world.clients.get(call.client()).clientId
                    + (world.setting.clones ? "/" + (call.client() + 1) : "");
            String late = call.awaited() ? "" : " (which nobody waits for)";
            return what.equals("gives up call")
                    ? "call '" + call.what() + "' " + who + " is given up by its caller"
                    : "call '" + call.what() + "' " + who + late + " " + what;
        } else if (message instanceof Message.Answer answer) {
            String who = "client " + world.clients.get(answer.client()).clientId
                    + (world.setting.clones ? "/" + (answer.client() + 1) : "");
            return what.equals("gives up call")
                    ? "the answer to '" + answer.what() + "' of " + who + " is lost"
                    : who + " gets the answer to '" + answer.what() + "'";
        }
        Message.Granted hint = (Message.Granted) message;
        return "message to " + hint.owner() + ", granted by token "
                + world.name(hint.reservation().token()) + ", " + what;
    }
}
