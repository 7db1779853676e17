package io.holdfast.lock.explore;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.engine.acquire.Acquisition;
import io.holdfast.lock.engine.acquire.MultiAcquisition;
import io.holdfast.lock.engine.acquire.Waits;
import io.holdfast.lock.engine.client.Cleanup;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.hold.HeldLocks;
import io.holdfast.lock.engine.hold.HeldLocks.Caller;
import io.holdfast.lock.engine.hold.Holds;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.explore.SpreadSetting.Flaw;
import io.holdfast.lock.explore.SpreadSetting.Wish;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.redis.driver.LuaScript;
import io.holdfast.lock.redis.driver.Wire;
import io.holdfast.lock.redis.driver.Wire.Calls;
import io.holdfast.lock.redis.driver.Wire.ScriptCall;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.store.Reservation;
import io.holdfast.lock.store.WakeListener;
import io.holdfast.lock.testing.ManualThreads;
import io.holdfast.lock.testing.NoStore;
import io.holdfast.lock.waiting.Budget;
import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;
import redis.clients.jedis.exceptions.JedisConnectionException;

/**
 * Runs one client, with the replies and messages that it has received so far, up to the first reply that it does not have: the real
 * acquisition of several locks, on the real store for Redis, whose scripts go to a network that is played here. This is also the store
 * that the engine calls, since a subscription would have a thread of its own. Calls of background threads are sent at once, and their
 * replies do not count.
 */
final class SpreadRun extends NoStore {

    /** What a client does, as far as it is known. */
    enum Phase {
        CALLING,
        QUEUED,
        HOLDING,
        GRANTED_AND_OVER,
        REFUSED,
        FAILED
    }

    /** What happens to a client beside replies. */
    sealed interface Event {

        /** A message says that the lock is granted. */
        record IsGranted(long sequence, Reservation reservation) implements Event {}

        /** Its budget is over while it waits. */
        record BudgetEnds() implements Event {}

        /** Its budget is over when it gets the reply to a call. */
        record BudgetEndsDuring(int send) implements Event {}

        /** It closes the handle. */
        record Closes() implements Event {}
    }

    /**
     * Calls that were sent to one node together.
     *
     * @param awaited whether a caller waits for the replies
     */
    record Send(List<ScriptCall> calls, boolean awaited) {}

    /** Instead of replies: there will be none in time. */
    static final List<Object> LOST = List.of("lost");

    /** Instead of replies: the connection breaks. */
    static final List<Object> BROKEN = List.of("broken");

    private static final AcquireReply SENT_ONCE = new AcquireReply.Held(Optional.empty(), 1, Duration.ZERO, 0, false);
    private static final EventPublisher NO_LISTENERS = new EventPublisher(List.of());
    private static final long LONG = Duration.ofDays(365).toNanos();
    static final Duration LEASE = LockStore.RESERVATION;

    /** Whose calls the network carries. */
    private static final ThreadLocal<SpreadRun> CURRENT = new ThreadLocal<>();

    private static final RedisLockStore REDIS = redis();

    private final SpreadSetting setting;
    private final Map<Integer, List<Object>> answers;
    private final List<Event> events;
    private final ManualThreads cleaners = new ManualThreads();
    private final ClientContext client;
    private final MultiAcquisition acquisition;
    private long budgetClock;
    private int owners;
    private boolean inBackground;
    private boolean acquiresAll;
    private boolean stopped;
    private @Nullable LockHandle handle;
    private Phase phase = Phase.CALLING;
    final List<Send> sends = new ArrayList<>();

    @Nullable
    String broken;

    SpreadRun(SpreadSetting setting, Wish wish, Map<Integer, List<Object>> answers, List<Event> events) {
        this.setting = setting;
        this.answers = answers;
        this.events = events;
        client = new ClientContext(this, new Cleanup(this, cleaners), setting.clock, false, wish.clientId());
        LongSupplier sequences = () -> 1 + owners++;
        ObjectGraph.set(client.queue(), "sequences", sequences);
        HeldLocks locks = Holds.locks(client, NO_LISTENERS);
        List<Terms> each = wish.keys().stream()
                .map(key -> Holds.of(key, Holds.terms(LEASE)))
                .toList();
        acquisition = new MultiAcquisition(
                new Acquisition.Shared(client, locks, new Waits(client, false), NO_LISTENERS, () -> null),
                each,
                Budget.of(() -> budgetClock, wish.oneTry() ? 0 : LONG),
                new Caller(new HashMap<>(), () -> {}, true, false, !wish.oneTry()));
    }

    /** The network between clients and nodes; each lock is on a node of its own name. */
    private static RedisLockStore redis() {
        RedisConnectionFactory network = (RedisConnectionFactory) Proxy.newProxyInstance(
                SpreadRun.class.getClassLoader(),
                new Class<?>[] {RedisConnectionFactory.class, Wire.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "server", "toString" -> "a cluster of this test";
                    case "isCluster", "isPipelined" -> true;
                    case "isOneServer", "isRepeating" -> false;
                    case "serverOf" -> new String((byte[]) arguments[0], StandardCharsets.UTF_8);
                    case "send" -> CURRENT.get().send((Calls) arguments[2]);
                    default -> null;
                });
        RedisTemplate<byte[], byte[]> template = new RedisTemplate<>();
        template.setConnectionFactory(network);
        template.setDefaultSerializer(RedisSerializer.byteArray());
        template.afterPropertiesSet();
        return new RedisLockStore(template, RedisLockSettings.STANDARD.withCommandTimeout(Duration.ofMinutes(1)));
    }

    Phase run() {
        CURRENT.set(this);
        try {
            proceed();
            for (Event event : events) {
                if (!stopped) {
                    take(event);
                }
            }
            sendLater();
            return phase;
        } finally {
            stopped = true;
            client.queue().close();
            CURRENT.remove();
        }
    }

    private void take(Event event) {
        if (event instanceof Event.IsGranted granted) {
            client.queue().entries.granted(granted.sequence(), granted.reservation());
            proceed();
        } else if (event instanceof Event.BudgetEnds) {
            budgetClock = LONG;
            proceed();
        } else if (event instanceof Event.Closes) {
            closeHandle();
        }
    }

    private void proceed() {
        phase = Phase.CALLING;
        try {
            if (acquisition.proceed() > 0) {
                end(Phase.QUEUED);
            } else if (acquisition.result() instanceof LockHandle granted) {
                handle = granted;
                end(Phase.HOLDING);
            } else {
                end(Phase.REFUSED);
            }
        } catch (LockStoreException e) {
            end(Phase.FAILED);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (NotAnswered e) {
            // it is known where it has stopped
        }
    }

    private void closeHandle() {
        phase = Phase.CALLING;
        try {
            handle.close();
            end(Phase.GRANTED_AND_OVER);
        } catch (LockLostException e) {
            if (!stopped) {
                broken = "P2: its lock is lost in the middle of its lease";
            }
            end(Phase.GRANTED_AND_OVER);
        } catch (NotAnswered e) {
            // it is known where it has stopped
        }
    }

    /** What the engine makes of being stopped does not count. */
    private void end(Phase reached) {
        if (!stopped) {
            phase = reached;
        }
    }

    // The network.

    private Supplier<List<Object>> send(Calls calls) {
        if (stopped) {
            throw NotAnswered.ERROR;
        }
        boolean forgets = setting.flaw == Flaw.NOTHING_IS_GIVEN_BACK
                && acquiresAll
                && calls.all().get(0).script() == LuaScript.RELEASE;
        if (forgets) {
            return () -> same(calls, "RELEASED");
        }
        if (inBackground) {
            sends.add(new Send(calls.all(), false));
            return () -> same(calls, calls.all().get(0).script() == LuaScript.LEAVE ? "LEFT" : "RELEASED");
        }
        sendLater();
        int number = sends.size();
        sends.add(new Send(calls.all(), true));
        return () -> answer(number);
    }

    private static List<Object> same(Calls calls, String reply) {
        return calls.all().stream()
                .<Object>map(call -> reply.getBytes(StandardCharsets.UTF_8))
                .toList();
    }

    private List<Object> answer(int number) {
        List<Object> known = stopped ? null : answers.get(number);
        if (known == null) {
            stopped = true;
            throw NotAnswered.ERROR;
        }
        if (events.contains(new Event.BudgetEndsDuring(number))) {
            budgetClock = LONG;
        }
        if (known == LOST) {
            throw new JedisConnectionException(new SocketTimeoutException("Read timed out"));
        }
        if (known == BROKEN) {
            throw new JedisConnectionException("Unexpected end of stream.");
        }
        return known;
    }

    private void sendLater() {
        if (!stopped && !inBackground) {
            inBackground = true;
            cleaners.run();
            inBackground = false;
        }
    }

    // The store.

    @Override
    public AcquireReply acquire(AcquireRequest request) {
        return REDIS.acquire(request);
    }

    @Override
    public AcquireAllReply acquireAll(List<AcquireRequest> requests) {
        acquiresAll = true;
        AcquireAllReply reply = REDIS.acquireAll(
                setting.flaw == Flaw.TRIES_ARE_SPREAD
                        ? requests.stream().map(SpreadRun::waiting).toList()
                        : requests);
        acquiresAll = false;
        return setting.flaw == Flaw.LATE_CALLS_ARE_FORGOTTEN && reply instanceof AcquireAllReply.Refused refused
                ? new AcquireAllReply.Refused(refused.index(), SENT_ONCE)
                : reply;
    }

    private static AcquireRequest waiting(AcquireRequest request) {
        return new AcquireRequest(
                request.key(),
                request.owner(),
                request.leaseMillis(),
                request.holder(),
                request.limit(),
                request.weight(),
                request.fair(),
                true,
                request.tokens(),
                request.leastToken(),
                request.raising());
    }

    @Override
    public ReleaseReply release(ReleaseRequest request) {
        return REDIS.release(request);
    }

    @Override
    public List<Pending<ReleaseReply>> releaseAll(List<ReleaseRequest> requests) {
        return REDIS.releaseAll(requests);
    }

    @Override
    public void leave(LockKey key, OwnerId owner, Duration cancelledFor, long lastFencingToken) {
        REDIS.leave(key, owner, cancelledFor, lastFencingToken);
    }

    @Override
    public String serverOf(LockKey key) {
        return REDIS.serverOf(key);
    }

    @Override
    public Listening listen(String clientId, WakeListener listener) {
        return Listening.NONE;
    }
}
