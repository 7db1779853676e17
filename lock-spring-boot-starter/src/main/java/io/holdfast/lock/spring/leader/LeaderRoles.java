package io.holdfast.lock.spring.leader;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.spring.aop.LockStartupCheck;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;

/**
 * The roles of this application: those in its properties, and those of {@code @LeaderOnly}. Creates the election when a role is
 * first requested, or at startup; without roles there is none. An election that is created while the lifecycle is running, for a bean
 * that did not exist at startup, is started immediately; after the end, none is created, since nobody would close it.
 *
 * <p>The instance becomes a candidate after everything else has started, including the web server, and hands over before
 * anything else stops: while locks can still be released, and listeners still have everything they need. The default phase is the last to
 * be started, and the first to be stopped.
 *
 * <p>Roles in which this instance must not lead belong to a second election, which is never started: they are listed, and another
 * instance may lead them.
 */
public final class LeaderRoles implements SmartLifecycle, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(LeaderRoles.class);

    private final BeanFactory beans;
    private final Supplier<LeaderSettings> settings;
    private final Set<String> declared = new LinkedHashSet<>();
    private final Map<String, Leadership> joined = new LinkedHashMap<>();
    private @Nullable LeaderElection election;
    private @Nullable LeaderElection spectators;
    private volatile boolean running;
    private boolean closed;

    /**
     * Creates an instance.
     *
     * @param beans contains the template and the observers, which are looked up for the first role
     * @param settings yields the settings; called for the first role
     */
    public LeaderRoles(BeanFactory beans, Supplier<LeaderSettings> settings) {
        this.beans = beans;
        this.settings = settings;
    }

    /** Makes this instance join the role when it starts; if it has started, for a child context, immediately. */
    synchronized void declare(String role) {
        declared.add(role);
        if (running) {
            start();
        }
    }

    /**
     * {@return the role, for which this instance is a candidate from now on, or once it is started}
     *
     * @param role its name
     */
    public synchronized Leadership of(String role) {
        Leadership known = joined.get(role);
        if (known != null) {
            return known;
        }
        if (closed) {
            throw new IllegalStateException("The leader election is closed");
        }
        LeaderSettings configured = settings.get();
        LeaderElection where = configured.isEnabled(role) ? election() : spectators();
        Leadership leadership = where.join(role, configured.request(role));
        joined.put(role, leadership);
        return leadership;
    }

    /** {@return the election, with the roles of the properties} */
    public synchronized LeaderElection withRoles() {
        LeaderElection made = election();
        settings.get().roles().keySet().forEach(this::of);
        return made;
    }

    /** Observers are also notified of roles that the application joins itself. */
    private LeaderElection election() {
        if (election == null) {
            election = LeaderElection.on(LockStartupCheck.template(beans));
            election.onJoined(leadership -> beans.getBeanProvider(LeadershipObserver.class)
                    .orderedStream()
                    .forEach(each -> each.joined(leadership)));
            if (running) {
                election.start();
            }
        }
        return election;
    }

    /** Has no observers: there are no terms, and a gauge would count this instance among those that may lead. */
    private LeaderElection spectators() {
        if (spectators == null) {
            spectators = LeaderElection.on(LockStartupCheck.template(beans));
        }
        return spectators;
    }

    /** {@return all roles that exist so far; creates none} */
    public synchronized List<Leadership> known() {
        return elections().flatMap(each -> each.roles().stream()).toList();
    }

    /**
     * {@return whether this instance may become the leader}
     *
     * @param role one of the {@linkplain #known known} roles
     */
    public synchronized boolean isCandidate(Leadership role) {
        return election != null && election.roles().contains(role);
    }

    /**
     * Makes this instance a candidate for all roles, if there are any. A test slice without locks has no leader.
     */
    @Override
    public synchronized void start() {
        Set<String> configured = settings.get().roles().keySet();
        Set<String> roles = new LinkedHashSet<>(configured);
        roles.addAll(declared);
        if (!roles.isEmpty() && beans.getBeanProvider(LockTemplate.class).getIfAvailable() != null) {
            warnOfUnused(configured);
            roles.forEach(this::of);
        }
        if (election != null) {
            election.start();
        }
        running = true;
    }

    /**
     * Settings under a misspelled name do not apply to the intended role, so an instance that should not be a candidate is one.
     * An application may use a role in a way that is not visible here, by listening to events; so this warns only if another role
     * has no settings.
     */
    private void warnOfUnused(Set<String> configured) {
        Set<String> unused = new TreeSet<>(configured);
        unused.removeAll(declared);
        unused.removeAll(joined.keySet());
        Set<String> unset = new TreeSet<>(declared);
        unset.removeAll(configured);
        if (!unused.isEmpty() && !unset.isEmpty()) {
            log.warn(
                    "holdfast.leadership.roles has settings for roles that no @LeaderOnly or injected Leadership"
                            + " uses: {}. There are no settings for {}, which a @LeaderOnly uses. If a name is misspelled, its"
                            + " settings have no effect. Names with characters other than letters, digits and hyphens"
                            + " need brackets: holdfast.leadership.roles[my_role]",
                    LockKey.printable(String.join(", ", unused)),
                    LockKey.printable(String.join(", ", unset)));
        }
    }

    /** {@return a future that completes when all terms have been given up, see {@link LeaderElection#stop()}} */
    public synchronized CompletableFuture<@Nullable Void> giveUp() {
        return election == null ? CompletableFuture.completedFuture(null) : election.stop();
    }

    @Override
    public void stop() {
        stop(() -> {});
    }

    /** Spring waits until the terms have been given up, within its limit for a phase. */
    @Override
    public void stop(Runnable callback) {
        running = false;
        var unused = giveUp().whenComplete((nothing, failure) -> callback.run());
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public synchronized void destroy() {
        closed = true;
        elections().forEach(LeaderElection::close);
    }

    private Stream<LeaderElection> elections() {
        return Stream.concat(Stream.ofNullable(election), Stream.ofNullable(spectators));
    }
}
