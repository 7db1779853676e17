package io.holdfast.lock.explore;

import io.holdfast.lock.explore.SpreadRun.Event;
import java.util.Locale;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Clients that acquire several locks on several nodes: each step that a client, a node, or the network can take. */
final class SpreadModel implements Model<SpreadWorld> {

    /** What can happen; to which client, and which of its calls, is the lower part of the number. */
    private enum Step {
        STARTS,
        ARRIVES,
        ARRIVES_AND_ITS_REPLY_IS_LOST,
        IS_LATE,
        ARRIVES_AND_THE_CONNECTION_BREAKS,
        BREAKS,
        IS_DELIVERED,
        GIVES_UP_WAITING,
        RUNS_OUT_OF_TIME,
        CLOSES;

        int of(int client, int what) {
            return ordinal() << 16 | client << 8 | what;
        }
    }

    private static final Step[] STEPS = Step.values();

    private final SpreadSetting setting;
    private final StateCode code = new StateCode();
    private final StateWriter writer = new StateWriter(code);

    SpreadModel(SpreadSetting setting) {
        this.setting = setting;
    }

    @Override
    public SpreadWorld initial() {
        return new SpreadWorld(setting);
    }

    @Override
    public SpreadWorld copy(SpreadWorld world) {
        return world.copy();
    }

    @Override
    public void steps(SpreadWorld world, IntConsumer offer) {
        for (int client = 0; client < world.clients(); client++) {
            offerIf(world.mayStart(client), Step.STARTS.of(client, 0), offer);
            offerIf(world.mayGiveUp(client), Step.GIVES_UP_WAITING.of(client, 0), offer);
            offerIf(world.mayRunOutOfBudget(client), Step.RUNS_OUT_OF_TIME.of(client, 0), offer);
            offerIf(world.mayClose(client), Step.CLOSES.of(client, 0), offer);
            for (int send = 0; send < world.sends(client); send++) {
                boolean mayFail = world.mayFail(client, send);
                boolean loses = mayFail && world.losses > 0;
                boolean breaks = mayFail && world.breaks > 0;
                offerIf(world.mayArrive(client, send), Step.ARRIVES.of(client, send), offer);
                offerIf(loses, Step.ARRIVES_AND_ITS_REPLY_IS_LOST.of(client, send), offer);
                offerIf(loses, Step.IS_LATE.of(client, send), offer);
                offerIf(breaks, Step.ARRIVES_AND_THE_CONNECTION_BREAKS.of(client, send), offer);
                offerIf(breaks, Step.BREAKS.of(client, send), offer);
            }
        }
        for (int message = 0; message < world.messages(); message++) {
            offer.accept(Step.IS_DELIVERED.of(0, message));
        }
    }

    private static void offerIf(boolean possible, int step, IntConsumer offer) {
        if (possible) {
            offer.accept(step);
        }
    }

    @Override
    public void take(SpreadWorld world, int number) {
        int client = number >> 8 & 0xff;
        int what = number & 0xff;
        setting.current = world;
        switch (STEPS[number >> 16]) {
            case STARTS -> world.start(client);
            case ARRIVES -> world.arrive(client, what, null);
            case ARRIVES_AND_ITS_REPLY_IS_LOST -> {
                world.losses--;
                world.arrive(client, what, SpreadRun.LOST);
            }
            case IS_LATE -> {
                world.losses--;
                world.fail(client, what, SpreadRun.LOST);
            }
            case ARRIVES_AND_THE_CONNECTION_BREAKS -> {
                world.breaks--;
                world.arrive(client, what, SpreadRun.BROKEN);
            }
            case BREAKS -> {
                world.breaks--;
                world.fail(client, what, SpreadRun.BROKEN);
            }
            case IS_DELIVERED -> world.deliver(what);
            case GIVES_UP_WAITING -> world.happens(client, new Event.BudgetEnds());
            case RUNS_OUT_OF_TIME -> world.runsOutOfBudget(client);
            case CLOSES -> world.happens(client, new Event.Closes());
        }
    }

    @Override
    public String describe(SpreadWorld world, int number) {
        int client = number >> 8 & 0xff;
        Step step = STEPS[number >> 16];
        String name = step.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        return switch (step) {
            case STARTS, GIVES_UP_WAITING, RUNS_OUT_OF_TIME, CLOSES ->
                "client " + setting.wishes.get(client).clientId() + ' ' + name;
            case IS_DELIVERED -> "a message " + name;
            default -> "call " + world.describe(client, number & 0xff) + ' ' + name;
        };
    }

    @Override
    public String outcome(SpreadWorld world) {
        StringBuilder phases = new StringBuilder(" -");
        for (int client = 0; client < world.clients(); client++) {
            phases.append(' ')
                    .append(setting.wishes.get(client).clientId())
                    .append(": ")
                    .append(world.phase(client));
        }
        return phases.toString();
    }

    @Override
    public long fingerprint(SpreadWorld world) {
        return world.fingerprint(code, writer);
    }

    @Override
    public @Nullable String violation(SpreadWorld world) {
        int[] offered = {0};
        steps(world, step -> offered[0]++);
        setting.current = null;
        String violation = world.violation(offered[0] == 0);
        setting.current = world;
        return violation;
    }
}
