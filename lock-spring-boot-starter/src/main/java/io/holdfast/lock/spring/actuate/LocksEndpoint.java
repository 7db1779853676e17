package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockActivity;
import io.holdfast.lock.api.LockSnapshot;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Definition;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Held;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Holder;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Lock;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Locks;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Released;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Waiting;
import io.holdfast.lock.spring.leader.LeaderRoles;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;

/**
 * {@code /actuator/locks}: the locks that this client holds or waits for, the annotated methods, and a single lock as stored.
 * Releases locks by force only if {@code management.endpoint.locks.access} is {@code unrestricted}; otherwise it is read-only.
 *
 * <p>A key may contain slashes, so it is the whole rest of the path. A path cannot represent every key (two slashes in a row
 * become one): such a key is passed as {@code exactKey} instead, and the path is ignored.
 */
@Endpoint(id = "locks", defaultAccess = Access.READ_ONLY)
final class LocksEndpoint {

    private static final String UNNAMED = "none";

    private final Supplier<LockTemplate> locks;
    private final Supplier<@Nullable LockActivity> books;
    private final Supplier<List<Definition>> definitions;
    private final Supplier<@Nullable LeaderRoles> roles;
    private final Show showKeys;

    /**
     * Creates an instance.
     *
     * @param locks called at the first request, so that the endpoint does not create lazy beans
     * @param books yields null if the template does not provide its activity
     * @param roles yields null if there is no leadership
     */
    LocksEndpoint(
            Supplier<LockTemplate> locks,
            Supplier<@Nullable LockActivity> books,
            Supplier<List<Definition>> definitions,
            Supplier<@Nullable LeaderRoles> roles,
            Show showKeys) {
        this.locks = locks;
        this.books = books;
        this.definitions = definitions;
        this.roles = roles;
        this.showKeys = showKeys;
    }

    @ReadOperation
    Locks locks() {
        return locks(showKeys.isShown(true));
    }

    Locks locks(boolean withKeys) {
        LockActivity activity = books.get();
        if (activity == null) {
            return new Locks(
                    List.of(), List.of(), null, definitions.get(), LocksDescriptors.leaders(roles.get(), true));
        }
        return new Locks(
                activity.held().stream()
                        .map(each -> new Held(
                                LocksDescriptors.key(each.key(), withKeys),
                                shown(each.name()),
                                each.mode().name(),
                                each.fencingToken(),
                                each.thread(),
                                LocksDescriptors.text(each.held()),
                                LocksDescriptors.text(each.remaining())))
                        .toList(),
                activity.waiting().stream()
                        .map(each -> new Waiting(
                                LocksDescriptors.key(each.key(), withKeys),
                                shown(each.name()),
                                each.mode().name(),
                                each.thread(),
                                LocksDescriptors.text(each.waited())))
                        .toList(),
                activity.wakeUps(),
                definitions.get(),
                LocksDescriptors.leaders(roles.get(), true));
    }

    /** The name as in the metrics. */
    private static String shown(String name) {
        return name.isEmpty() ? UNNAMED : name;
    }

    @ReadOperation
    Lock lock(@Selector(match = Match.ALL_REMAINING) String[] key, @Nullable String exactKey) {
        String text = keyOf(key, exactKey);
        LockSnapshot snapshot = locks.get().inspect(text);
        List<Holder> holders = LocksDescriptors.holders(snapshot.holders());
        return new Lock(null, text, snapshot.isHeld(), snapshot.lastToken(), holders, snapshot.waiters(), null);
    }

    @DeleteOperation
    Released forceRelease(@Selector(match = Match.ALL_REMAINING) String[] key, @Nullable String exactKey) {
        String text = keyOf(key, exactKey);
        return new Released(text, LocksDescriptors.holders(locks.get().forceRelease(text)));
    }

    private static String keyOf(String[] segments, @Nullable String exactKey) {
        return exactKey == null ? String.join("/", segments) : exactKey;
    }
}
