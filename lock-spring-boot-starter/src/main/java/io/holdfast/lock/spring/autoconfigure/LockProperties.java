package io.holdfast.lock.spring.autoconfigure;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.OutOfRangeException;
import io.holdfast.lock.redis.RedisLockSettings;
import io.holdfast.lock.spring.definition.ConfiguredOptions;
import io.holdfast.lock.spring.definition.LiteralText;
import io.holdfast.lock.spring.definition.LockOptions;
import io.holdfast.lock.spring.leader.LeaderSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/**
 * The settings of distributed locks.
 *
 * @param enabled Whether to enable the auto-configuration of locks. If false, annotated methods run without locks.
 * @param lease How long a lock survives without renewal, at least 100ms.
 * @param waitFor How long annotated methods, execute and acquire wait for a lock. Zero is a single try.
 * @param maxHold Time after which renewal ends, counted from the grant. No limit by default.
 * @param warnAfter Time after which a warning is logged, once, for a lock that is still held.
 * @param outageTolerance How long a queued caller waits for Redis to recover from a failure, within its wait-for. Zero fails
 *     immediately.
 * @param maskKeys Whether logs, exceptions, events and endpoints show the keys of locks as hashes.
 * @param maxDataSize Maximum size of the data of a lock, up to 1MB.
 * @param store Where locks are kept.
 * @param failFast Whether the application fails to start if Redis does not respond.
 * @param redis Settings for locks in Redis.
 * @param aop Settings for the proxies of annotated methods.
 * @param locks Settings of annotated methods, by the name of their definition.
 * @param scheduled Settings of annotated methods that are scheduled, unless set in holdfast.locks.
 * @param jobs Jobs that run once for each fire time.
 * @param transactions Locks and transactions.
 * @param quorum Independent servers that form a quorum.
 * @param leadership Leadership among the instances of the application.
 * @param shutdown Locks that are held when the application shuts down.
 * @param async Asynchronous work under locks.
 * @param events Lock events as application events.
 * @param problemDetails Responses of web applications if a lock is not acquired.
 */
@ConfigurationProperties(prefix = "holdfast", ignoreUnknownFields = false)
@Lazy
record LockProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("30s") Duration lease,
        @DefaultValue("5s") Duration waitFor,
        @Nullable Duration maxHold,
        @DefaultValue("60s") Duration warnAfter,
        @DefaultValue("30s") Duration outageTolerance,
        @DefaultValue("false") boolean maskKeys,
        @DefaultValue("64KB") DataSize maxDataSize,
        @DefaultValue("redis") Store store,
        @DefaultValue("false") boolean failFast,
        @DefaultValue Redis redis,
        @DefaultValue Aop aop,
        @DefaultValue Map<String, LockOptions> locks,
        @DefaultValue Scheduled scheduled,
        @DefaultValue Jobs jobs,
        @DefaultValue Transactions transactions,
        @DefaultValue Quorum quorum,
        @DefaultValue Leadership leadership,
        @DefaultValue Shutdown shutdown,
        @DefaultValue Async async,
        @DefaultValue Events events,
        @DefaultValue ProblemDetails problemDetails)
        implements InitializingBean {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final long MAX_DATA_SIZE = 1_048_576;

    /**
     * {@return whether the application sets any of these properties, or may do so in a source that does not list its names}
     * Creates no bean.
     */
    static boolean areSet(BeanFactory beans) {
        ConfigurationPropertyName prefix = ConfigurationPropertyName.of("holdfast");
        var sources = ConfigurationPropertySources.get(beans.getBean(Environment.class));
        return StreamSupport.stream(sources.spliterator(), false)
                .anyMatch(source -> source.containsDescendantOf(prefix) != ConfigurationPropertyState.ABSENT);
    }

    /** Validates here rather than during binding, so that a failure names the property, and the file and line where it is set. */
    @Override
    public void afterPropertiesSet() {
        LockRequest any = LockRequest.of("any");
        check("holdfast.", () -> defaults(any));
        long size = maxDataSize.toBytes();
        require("holdfast.max-data-size", maxDataSize, size >= 1 && size <= MAX_DATA_SIZE, "1B to 1MB");
        RedisLockSettings standard = RedisLockSettings.STANDARD;
        Redis.ReplicaAcks acks = redis.replicaAcks();
        check("holdfast.redis.replica-acks.count", () -> new Redis.ReplicaAcks(acks.count(), SECOND).toSettings());
        check("holdfast.redis.replica-acks.timeout", acks::toSettings);
        check("holdfast.redis.", redis::toSettings);
        check("holdfast.quorum.command-timeout", () -> standard.withCommandTimeout(quorum.commandTimeout()));
        Duration delay = Objects.requireNonNullElse(quorum.rejoinDelay(), SECOND);
        check("holdfast.quorum.rejoin-delay", () -> standard.withRejoinDelay(delay));
        check("holdfast.transactions.commit-margin", () -> any.waitFor(transactions.commitMargin()));
        String table = transactions.fence().table();
        boolean isName = table.matches("(\\w+\\.)*\\w+");
        require("holdfast.transactions.fence.table", table, isName, "a name, or schema.name");
        requireUpToADay("holdfast.shutdown.timeout", shutdown.timeout());
        requireUpToADay("holdfast.problem-details.retry-after", problemDetails.retryAfter());
        requirePositive("holdfast.async.max-waiting", async.maxWaiting());
        int status = problemDetails.status();
        require("holdfast.problem-details.status", status, status >= 400 && status <= 599, "400 to 599");
        check("holdfast.scheduled.", () -> scheduled.toOptions().applyTo(any));
        check("holdfast.jobs.keep", () -> any.withData(jobs.keep()));
        int history = jobs.history();
        require("holdfast.jobs.history", history, history >= 1 && history <= 100, "1 to 100");
        locks.forEach((name, options) -> {
            requireLiteral("holdfast.locks", name);
            requirePositive("holdfast.locks." + name + ".limit", options.limit());
            requirePositive("holdfast.locks." + name + ".weight", options.weight());
            check("holdfast.locks." + name + '.', () -> options.applyTo(any));
        });
        check("holdfast.leadership.lease", () -> leadership.request(""));
        leadership.roles().forEach((name, role) -> {
            requireLiteral("holdfast.leadership.roles", name);
            String property = "holdfast.leadership.roles." + name;
            if (role.key() != null) {
                require(property + ".key", role.key(), !role.key().isBlank(), "a key that is not blank");
                requireLiteral(property + ".key", role.key());
            }
            check(property + ".lease", () -> leadership.request(name));
        });
    }

    /**
     * Applies the checks of the core.
     *
     * @param property the property; if it ends with a dot, the failure contains the rest of its name, in camel case
     */
    private static void check(String property, Supplier<?> attempt) {
        try {
            var unused = attempt.get();
        } catch (OutOfRangeException e) {
            String name = property.endsWith(".") ? property + DataObjectPropertyName.toDashedForm(e.name()) : property;
            require(name, e.value(), false, e.range());
        }
    }

    private static void requirePositive(String property, @Nullable Integer value) {
        require(property, value, value == null || value > 0, "1 or more");
    }

    private static void require(String property, @Nullable Object value, boolean allowed, String range) {
        if (!allowed) {
            throw new InvalidConfigurationPropertyValueException(property, value, "It must be " + range + ".");
        }
    }

    /** Names and keys are compared with those of annotations, and are not expressions here. */
    private static void requireLiteral(String property, String value) {
        require(property, value, !LiteralText.isExpression(value), "literal text, not an expression");
    }

    private static void requireUpToADay(String property, Duration time) {
        require(property, time, !time.isNegative() && time.compareTo(DAY) <= 0, "0s to 1d");
    }

    /**
     * Combinations of valid values that do not make sense.
     *
     * @param isQuorum whether locks are kept in a quorum
     */
    List<String> doubts(boolean isQuorum) {
        List<String> doubts = new ArrayList<>();
        Duration timeout = isQuorum ? quorum.commandTimeout() : redis.commandTimeout();
        if (store == Store.REDIS && timeout.compareTo(lease) >= 0) {
            doubts.add((isQuorum
                            ? "holdfast.quorum.command-timeout is not less than holdfast.lease"
                            : "holdfast.redis.command-timeout is not less than holdfast.lease")
                    + ": a lock can be lost while a single renewal waits for its reply");
        }
        if (maxHold != null && maxHold.compareTo(lease) < 0) {
            doubts.add("holdfast.max-hold is less than holdfast.lease: a lock that is not released is held until its"
                    + " lease expires");
        }
        if (transactions.commitMargin().compareTo(lease) >= 0) {
            doubts.add("holdfast.transactions.commit-margin is not less than holdfast.lease: every commit extends all"
                    + " locks with a call to Redis");
        }
        return doubts;
    }

    LockRequest defaults(LockRequest request) {
        LockRequest defaults =
                request.lease(lease).waitFor(waitFor).warnAfter(warnAfter).outageTolerance(outageTolerance);
        return maxHold == null ? defaults : defaults.maxHold(maxHold);
    }

    ConfiguredOptions toOptions() {
        return new ConfiguredOptions(waitFor, scheduled.toOptions(), locks);
    }

    /** Where locks are kept. */
    enum Store {
        /** In Redis: the application's Redis, a separate one, or a quorum. */
        REDIS,
        /** In the memory of this process, for development and tests. Such locks do not work across processes. */
        IN_MEMORY
    }

    /**
     * TLS.
     *
     * @param bundle Name of an SSL bundle, which enables TLS.
     */
    record Ssl(@Nullable String bundle) {}

    /**
     * Settings for locks in Redis.
     *
     * @param url URL of a separate Redis server for locks, such as redis://user:password@example.com:6379/8, or rediss:// for TLS.
     * @param ssl TLS for that server.
     * @param keyPrefix First part of each key, without braces or whitespace.
     * @param commandTimeout Timeout of a command, and of the wait for a pooled connection.
     * @param tokenRetention How long the last fencing token of an unused lock is remembered.
     * @param maxConnections Maximum number of dedicated connections to a server.
     * @param connection Over which connections locks reach Redis: dedicated ones, those of the application, or "auto": dedicated ones if
     *     the application's configuration can be carried over to them.
     * @param replicaAcks How many replicas must acknowledge a grant or a renewal before it counts.
     */
    record Redis(
            @Nullable String url,
            @DefaultValue Ssl ssl,
            @DefaultValue("holdfast") String keyPrefix,
            @DefaultValue("1s") Duration commandTimeout,
            @DefaultValue("10m") Duration tokenRetention,
            @DefaultValue("64") int maxConnections,
            @DefaultValue("auto") RedisLockSettings.Connection connection,
            @DefaultValue ReplicaAcks replicaAcks) {

        /**
         * How many replicas must acknowledge a grant or a renewal before it counts.
         *
         * @param count Number of replicas. Zero waits for none.
         * @param timeout How long the replicas may take, in addition to the command itself.
         */
        record ReplicaAcks(
                @DefaultValue("0") int count,
                @DefaultValue("500ms") Duration timeout) {

            private RedisLockSettings.ReplicaAcks toSettings() {
                return new RedisLockSettings.ReplicaAcks(count, timeout);
            }
        }

        RedisLockSettings toSettings() {
            return RedisLockSettings.STANDARD
                    .withKeyPrefix(keyPrefix)
                    .withCommandTimeout(commandTimeout)
                    .withTokenRetention(tokenRetention)
                    .withMaxConnections(maxConnections)
                    .withConnection(connection)
                    .withReplicaAcks(replicaAcks.toSettings());
        }
    }

    /**
     * Settings for the proxies of annotated methods.
     *
     * @param order Order of the lock advisor. Lower values are further out. The lock must be outside the transaction. The default
     *     is 100 before the lowest precedence.
     */
    record Aop(@DefaultValue("2147483547") int order) {}

    /**
     * Settings of annotated methods that are scheduled, unless set by their annotation or in holdfast.locks.
     *
     * @param lease How long their locks survive without renewal, at least 100ms. Default is the value of holdfast.lease.
     * @param waitFor How long they wait for their locks. Zero is a single try. Default is the value of holdfast.wait-for.
     * @param renew Whether the leases are renewed while the locks are held. Default is true.
     * @param minHold Keeps others out for at least this time, even if the method ends earlier.
     */
    record Scheduled(
            @Nullable Duration lease,
            @Nullable Duration waitFor,
            @Nullable Boolean renew,
            @Nullable Duration minHold) {

        private LockOptions toOptions() {
            return new LockOptions(lease, waitFor, renew, minHold, null, null, null, null, null, null);
        }
    }

    /**
     * Jobs that run once for each fire time.
     *
     * @param history How many of the last runs of a job are kept.
     * @param keep How long they are kept after the last run. Must be at least the catch-up time of each job.
     */
    record Jobs(
            @DefaultValue("20") int history,
            @DefaultValue("30d") Duration keep) {}

    /**
     * Locks and transactions.
     *
     * @param releaseAfterCompletion Whether the lock of an annotated method that is called inside a transaction is released after
     *     the transaction has completed, instead of when the method ends.
     * @param commitMargin How much longer the thread's locks must last when a commit begins. Locks that would expire sooner are
     *     extended. If one was lost, the transaction is rolled back.
     * @param fence Whether the database refuses transactions of a holder that is late.
     */
    record Transactions(
            @DefaultValue("true") boolean releaseAfterCompletion,
            @DefaultValue("500ms") Duration commitMargin,
            @DefaultValue Fence fence) {}

    /**
     * Whether the database refuses transactions of a holder that is late.
     *
     * @param enabled Whether each transaction under an exclusive lock begins with an update of the fence table.
     * @param initializeSchema When to create the fence table at startup, unless it exists.
     * @param table Name of the fence table. May begin with a schema and a dot.
     */
    record Fence(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("embedded") InitializeSchema initializeSchema,
            @DefaultValue("holdfast_fence") String table) {

        enum InitializeSchema {
            /** Creates the table. */
            ALWAYS,
            /** Creates the table in an H2 database in memory. */
            EMBEDDED,
            /** Expects that the table exists. */
            NEVER
        }

        boolean creates(String url) {
            return initializeSchema == InitializeSchema.ALWAYS
                    || (initializeSchema == InitializeSchema.EMBEDDED && url.startsWith("jdbc:h2:mem:"));
        }
    }

    /**
     * Independent servers that form a quorum.
     *
     * @param nodes Comma-separated list of independent Redis servers; an odd number, at least 3. A lock is held if a majority has
     *     granted it. Each server is host:port, or redis://[user:password@]host:port[/database], or rediss:// for TLS.
     * @param commandTimeout Timeout of a command to one of the servers, and of the wait for a pooled connection.
     * @param rejoinDelay How long a server that has started without its data refuses to grant unknown locks. Upper limit for all
     *     leases. Default is the value of holdfast.lease.
     * @param ssl TLS for these servers.
     */
    record Quorum(
            @Nullable List<String> nodes,
            @DefaultValue("200ms") Duration commandTimeout,
            @Nullable Duration rejoinDelay,
            @DefaultValue Ssl ssl) {

        Quorum {
            nodes = nodes == null || nodes.isEmpty() ? null : nodes; // as in ${NODES:}
        }
    }

    /**
     * Leadership among the instances of the application.
     *
     * @param enabled Whether this instance may become a leader. Can be overridden for each role.
     * @param lease How long until a crashed leader is replaced, at least 100ms. Default is the value of
     *     holdfast.lease.
     * @param roles Settings of roles, by role name. A Leadership bean is available for each role named here.
     */
    record Leadership(
            @DefaultValue("true") boolean enabled,
            @Nullable Duration lease,
            @DefaultValue Map<String, Role> roles) implements LeaderSettings {

        /**
         * One role.
         *
         * @param enabled Whether this instance may become its leader. Default is the value of holdfast.leadership.enabled.
         * @param lease How long until its crashed leader is replaced. Default is the value of
         *     holdfast.leadership.lease.
         * @param key Key of its lock. Default is leader:<role>.
         */
        record Role(
                @Nullable Boolean enabled,
                @Nullable Duration lease,
                @Nullable String key) {

            private static final Role NONE = new Role(null, null, null);
        }

        @Override
        public boolean isEnabled(String role) {
            return Objects.requireNonNullElse(of(role).enabled(), enabled);
        }

        @Override
        public LockRequest request(String role) {
            LockRequest request = LockRequest.of(Objects.requireNonNullElse(of(role).key(), "leader:" + role));
            Duration own = of(role).lease() == null ? lease : of(role).lease();
            return own == null ? request : request.lease(own);
        }

        private Role of(String role) {
            return roles.getOrDefault(role, Role.NONE);
        }
    }

    /**
     * Locks that are held when the application shuts down.
     *
     * @param timeout How long holders may keep their locks after shutdown has begun. Zero releases them immediately.
     */
    record Shutdown(@DefaultValue("10s") Duration timeout) {}

    /**
     * Asynchronous work under locks.
     *
     * @param maxWaiting How many calls to executeAsync and subscriptions to locked methods may wait for locks at a time.
     *     Calls beyond that fail immediately.
     */
    record Async(@DefaultValue("10000") int maxWaiting) {}

    /**
     * Lock events as application events.
     *
     * @param enabled Whether lock events are published as application events.
     */
    record Events(@DefaultValue("true") boolean enabled) {}

    /**
     * Responses of web applications if a lock is not acquired.
     *
     * @param enabled Whether to respond with a problem detail, instead of status 500, if a lock is not acquired.
     * @param status HTTP status of that response, such as 409, 423 or 503.
     * @param retryAfter Value of the Retry-After header, in whole seconds.
     */
    record ProblemDetails(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("409") int status,
            @DefaultValue("1s") Duration retryAfter) {}
}
