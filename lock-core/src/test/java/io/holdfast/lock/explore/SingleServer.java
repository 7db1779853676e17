package io.holdfast.lock.explore;

import io.holdfast.lock.explore.Course.Phase;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Clients of one server: each step that any of them, the server, the network, an attacker, or time can take. */
final class SingleServer implements Model<World> {

    private static final long BLINK = TimeUnit.MILLISECONDS.toNanos(1);

    /** What can happen; which client, message, or clock step it happens to, is the step's lower half. */
    private enum Step {
        TIME_PASSES,
        BLINK,
        STARTS,
        TRIES,
        IS_ANSWERED,
        WAKES,
        POLLS,
        GIVES_UP_WAITING,
        IS_INTERRUPTED,
        RENEWS,
        CLOSES,
        CHECKS,
        WRITES,
        ARRIVES,
        ARRIVES_AND_AGAIN,
        GIVES_UP_CALL,
        FORGED_MESSAGE,
        DATA_IS_LOST,
        CLOCK_STEPS;

        int of(int what) {
            return ordinal() << 8 | what;
        }
    }

    private static final Step[] STEPS = Step.values();

    private final Setting setting;
    private final StateCode code = new StateCode();
    private final StateWriter writer = new StateWriter(code);

    SingleServer(Setting setting) {
        this.setting = setting;
    }

    @Override
    public World initial() {
        return new World(setting);
    }

    @Override
    public World copy(World world) {
        return world.copy();
    }

    @Override
    public void steps(World world, IntConsumer offer) {
        world.sync();
        offer.accept(Step.TIME_PASSES.of(0));
        offerIf(world.blinks > 0, Step.BLINK.of(0), offer);
        for (ModelClient client : world.clients) {
            ofClient(world, client, offer);
        }
        for (int i = 0; i < world.network.size(); i++) {
            ofMessage(world, i, offer);
        }
        offerIf(world.losses > 0, Step.DATA_IS_LOST.of(0), offer);
        for (int i = 0; i < setting.clockSteps.size(); i++) {
            offerIf((world.clockSteps & 1 << i) != 0, Step.CLOCK_STEPS.of(i), offer);
        }
    }

    private static void offerIf(boolean possible, int step, IntConsumer offer) {
        if (possible) {
            offer.accept(step);
        }
    }

    private void ofClient(World world, ModelClient client, IntConsumer offer) {
        int number = client.number;
        if (client.isIdle()) {
            boolean may = client.started < setting.acquisitions && Rules.mayStart(world, client);
            offerIf(may, Step.STARTS.of(number), offer);
            offerIf(may && setting.tries, Step.TRIES.of(number), offer);
        }
        offerIf(setting.giveUp && client.mayGiveUp(), Step.GIVES_UP_WAITING.of(number), offer);
        if (client.isIn(Phase.QUEUED)) {
            offerIf(client.isWoken(), Step.WAKES.of(number), offer);
            offerIf(client.side == null && !client.isWoken(), Step.POLLS.of(number), offer);
            offerIf(setting.interrupts, Step.IS_INTERRUPTED.of(number), offer);
            offerIf(world.forgeries > 0, Step.FORGED_MESSAGE.of(number), offer);
        } else if (client.isIn(Phase.HOLDING)) {
            boolean writes = setting.writes != Setting.Writes.NONE;
            boolean holds = client.holds();
            offerIf(holds && client.side == null, Step.RENEWS.of(number), offer);
            offerIf(!client.checked, Step.CLOSES.of(number), offer);
            offerIf(writes && holds && !client.checked, Step.CHECKS.of(number), offer);
            offerIf(client.checked, Step.WRITES.of(number), offer);
        }
    }

    private void ofMessage(World world, int at, IntConsumer offer) {
        Message message = world.network.get(at);
        if (message instanceof Message.Answer) {
            offer.accept(Step.IS_ANSWERED.of(at));
            offerIf(world.lateCalls > 0, Step.GIVES_UP_CALL.of(at), offer);
        } else if (message instanceof Message.Call call) {
            offer.accept(Step.ARRIVES.of(at));
            offerIf(world.duplicates > 0 && call.awaited(), Step.ARRIVES_AND_AGAIN.of(at), offer);
            offerIf(world.lateCalls > 0 && call.awaited(), Step.GIVES_UP_CALL.of(at), offer);
        } else {
            offer.accept(Step.ARRIVES.of(at));
            offerIf(world.duplicates > 0, Step.ARRIVES_AND_AGAIN.of(at), offer);
        }
    }

    @Override
    public void take(World world, int number) {
        world.sync();
        world.noted = "";
        int what = number & 0xff;
        Step step = STEPS[number >> 8];
        switch (step) {
            case TIME_PASSES -> world.now += Setting.QUANTUM;
            case BLINK -> {
                world.blinks--;
                world.now += BLINK;
            }
            case DATA_IS_LOST -> world.loseData();
            case CLOCK_STEPS -> {
                world.clockSteps &= ~(1 << what);
                world.serverAhead += setting.clockSteps.get(what);
            }
            case ARRIVES, ARRIVES_AND_AGAIN -> arrives(world, what, step == Step.ARRIVES_AND_AGAIN);
            case IS_ANSWERED -> {
                Message.Answer answer = (Message.Answer) world.network.remove(what);
                world.clients.get(answer.client()).answered(world, answer);
            }
            case GIVES_UP_CALL -> givesUp(world, what);
            default -> ofClient(world, world.clients.get(what), step);
        }
        world.sync();
        Rules.forget(world);
    }

    private static void ofClient(World world, ModelClient client, Step step) {
        switch (step) {
            case STARTS -> client.start(world, false);
            case TRIES -> client.start(world, true);
            case WAKES -> client.wake(world);
            case POLLS -> client.poll(world);
            case GIVES_UP_WAITING -> client.budgetEnds(world);
            case IS_INTERRUPTED -> client.interrupt(world);
            case RENEWS -> client.renew(world);
            case CLOSES -> client.close(world);
            case CHECKS -> client.checked = true;
            case WRITES -> world.write(client);
            case FORGED_MESSAGE -> Forgery.send(world, client);
            default -> throw new IllegalStateException("No step of a client: " + step);
        }
    }

    private static void arrives(World world, int at, boolean again) {
        if (!(world.network.get(at) instanceof Message.Granted hint)) {
            world.duplicates -= again ? 1 : 0;
            world.serve(at, again);
            return;
        }
        if (again) {
            world.duplicates--;
        } else {
            world.network.remove(at);
        }
        Rules.deliver(world, hint);
    }

    private static void givesUp(World world, int at) {
        world.lateCalls--;
        Message message = world.network.get(at);
        int client = message instanceof Message.Call call ? call.client() : ((Message.Answer) message).client();
        Message.What what = message instanceof Message.Call call ? call.what() : ((Message.Answer) message).what();
        world.giveUp(client, what);
        world.clients.get(client).failed(world, what);
    }

    @Override
    public String describe(World world, int number) {
        setting.tracing = true;
        int what = number & 0xff;
        Step step = STEPS[number >> 8];
        String name = step.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return switch (step) {
            case TIME_PASSES -> "--- " + TimeUnit.NANOSECONDS.toMillis(Setting.QUANTUM) + " ms pass";
            case BLINK -> "--- 1 ms passes";
            case DATA_IS_LOST -> "the server loses its data";
            case CLOCK_STEPS ->
                "the server's clock steps by " + TimeUnit.NANOSECONDS.toMillis(setting.clockSteps.get(what)) + " ms";
            case ARRIVES, ARRIVES_AND_AGAIN, IS_ANSWERED, GIVES_UP_CALL ->
                Rules.describe(world, world.network.get(what), name);
            default -> "client " + label(world, what) + " " + name;
        };
    }

    private String label(World world, int number) {
        return world.clients.get(number).clientId + (setting.clones ? "/" + (number + 1) : "");
    }

    @Override
    public String outcome(World world) {
        setting.tracing = false;
        return world.noted;
    }

    @Override
    public long fingerprint(World world) {
        world.sync();
        return world.fingerprint(code, writer);
    }

    @Override
    public @Nullable String violation(World world) {
        world.sync();
        return Rules.violation(world);
    }
}
