package io.holdfast.lock.explore;

import io.holdfast.lock.explore.QuorumClient.Phase;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Clients of three servers that know nothing of each other. */
final class QuorumModel implements Model<QuorumWorld> {

    private static final int TIME_PASSES = 0;
    private static final int ASKS = 1 << 8;
    private static final int CLOSES = 2 << 8;
    private static final int RENEWS = 3 << 8;
    private static final int ARRIVES = 4 << 8;
    private static final int FAILS = 5 << 8;
    private static final int RESTARTS = 6 << 8;

    private final QuorumSetting setting;
    private final StateCode code = new StateCode();
    private final StateWriter writer = new StateWriter(code);

    QuorumModel(QuorumSetting setting) {
        this.setting = setting;
    }

    @Override
    public QuorumWorld initial() {
        return new QuorumWorld(setting);
    }

    @Override
    public QuorumWorld copy(QuorumWorld world) {
        return world.copy();
    }

    @Override
    public void steps(QuorumWorld world, IntConsumer offer) {
        world.sync();
        if (!setting.timeless) {
            offer.accept(TIME_PASSES);
        }
        for (QuorumClient client : world.clients) {
            if (client.phase == Phase.IDLE && client.tries > 0 && mayAsk(world, client)) {
                offer.accept(ASKS + client.number);
            } else if (client.phase == Phase.HOLDING) {
                offer.accept(CLOSES + client.number);
                for (int without = 0; without < QuorumSetting.SERVERS && world.renewals > 0; without++) {
                    offer.accept(RENEWS + (without << 4) + client.number);
                }
            }
        }
        for (int i = 0; i < world.mails.size(); i++) {
            if (world.isFirst(i)) {
                offer.accept(ARRIVES + i);
                QuorumWorld.Mail mail = world.mails.get(i);
                if (world.failures > 0 && mail.what() == QuorumWorld.What.ACQUIRE && mail.lateUntil() == 0) {
                    offer.accept(FAILS + i);
                }
            }
        }
        for (int server = 0; server < restartable(world); server++) {
            offer.accept(RESTARTS + server);
        }
    }

    /** Servers whose clocks agree are interchangeable until the first one is restarted. */
    private int restartable(QuorumWorld world) {
        boolean alike = setting.clocksAgree && world.restarts == setting.restarts;
        return world.restarts == 0 ? 0 : alike ? 1 : QuorumSetting.SERVERS;
    }

    /** Clients are interchangeable, so they begin in their order. */
    private boolean mayAsk(QuorumWorld world, QuorumClient client) {
        return client.number == 0 || world.clients.get(client.number - 1).tries < setting.tries;
    }

    @Override
    public void take(QuorumWorld world, int step) {
        world.sync();
        world.noted = "";
        int what = step & 0xff;
        switch (step & ~0xff) {
            case TIME_PASSES -> world.now += QuorumSetting.QUANTUM;
            case ASKS -> world.clients.get(what).ask(world);
            case CLOSES -> world.clients.get(what).close(world);
            case RENEWS -> world.renew(world.clients.get(what & 0xf), what >> 4);
            case ARRIVES -> world.arrive(what);
            case FAILS -> world.fail(what);
            case RESTARTS -> {
                // It takes longer than the tokens of one moment are ahead of the clock.
                world.restarts--;
                world.now += TimeUnit.MILLISECONDS.toNanos(1);
                world.servers.get(what).restart(world.now);
            }
            default -> throw new IllegalStateException("No such step: " + step);
        }
        world.forget();
        world.sync();
    }

    @Override
    public String describe(QuorumWorld world, int step) {
        setting.tracing = true;
        int what = step & 0xff;
        return switch (step & ~0xff) {
            case TIME_PASSES -> "--- " + QuorumClient.millis(QuorumSetting.QUANTUM) + " pass";
            case ASKS -> "client " + name(what) + " asks all servers";
            case CLOSES -> "client " + name(what) + " closes its handle";
            case RENEWS -> "client " + name(what & 0xf) + " renews its lease, but for server " + ((what >> 4) + 1);
            case ARRIVES -> mail(world.mails.get(what), "arrives");
            case FAILS -> mail(world.mails.get(what), "is given up");
            default -> "server " + (what + 1) + " is restarted without its data";
        };
    }

    private static String name(int client) {
        return String.valueOf((char) ('A' + client));
    }

    private static String mail(QuorumWorld.Mail mail, String what) {
        String call = (mail.lateUntil() > 0 ? "late call '" : "call '")
                + mail.what().name().toLowerCase(Locale.ROOT) + "' of client " + name(mail.client());
        return mail.answer() == null
                ? call + " to server " + (mail.server() + 1) + " " + what
                : "the answer of server " + (mail.server() + 1) + " to client " + name(mail.client()) + " " + what;
    }

    @Override
    public String outcome(QuorumWorld world) {
        setting.tracing = false;
        return world.noted;
    }

    @Override
    public long fingerprint(QuorumWorld world) {
        world.sync();
        return world.fingerprint(code, writer);
    }

    @Override
    public @Nullable String violation(QuorumWorld world) {
        world.sync();
        return world.violation();
    }
}
