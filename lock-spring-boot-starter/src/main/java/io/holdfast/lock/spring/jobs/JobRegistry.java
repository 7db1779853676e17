package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.aop.JobCalls;
import io.holdfast.lock.spring.aop.LockStartupCheck;
import io.holdfast.lock.spring.aop.ProxiedBean;
import io.holdfast.lock.spring.definition.AnnotationOptions;
import io.holdfast.lock.spring.definition.LockOperation;
import io.holdfast.lock.spring.definition.LockOperationSource;
import io.holdfast.lock.spring.result.ResultKind;
import io.holdfast.lock.threads.DaemonThreads;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.SmartLifecycle;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.function.SingletonSupplier;

/**
 * The jobs of one application, each found when its bean is checked at startup, or with its first call. Looks at them by itself only while
 * the context is running: from its start, when it catches up, until it stops.
 */
public final class JobRegistry implements Jobs, JobCalls, ProxiedBean.Check, SmartLifecycle, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(OnOneInstance.class);

    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofMillis(500);

    private final ConfigurableListableBeanFactory beans;
    private final LockOperationSource operations;
    final Supplier<JobSettings> settings;
    final Supplier<Clock> clock;
    private final Supplier<List<JobObserver>> observers;
    final Supplier<String> instance =
            SingletonSupplier.of(() -> ManagementFactory.getRuntimeMXBean().getName());
    /** By the target of the bean, compared by identity, and the method; also those without a schedule. */
    private final IdentityHashMap<Object, Map<Method, Optional<Job>>> jobs = new IdentityHashMap<>();

    private final ExecutorService threads = DaemonThreads.pool(Integer.MAX_VALUE, "holdfast-jobs");
    private DaemonThreads.@Nullable Timer timer;
    private boolean running;

    /**
     * Creates an instance.
     *
     * @param beans contains the template, and the observers of runs
     * @param operations finds methods with {@link OnOneInstance}
     * @param settings yields the settings; called for the first job
     * @param clock yields the clock by which the scheduler runs methods; called for the first job
     */
    public JobRegistry(
            ConfigurableListableBeanFactory beans,
            LockOperationSource operations,
            Supplier<JobSettings> settings,
            Supplier<Clock> clock) {
        this.beans = beans;
        this.operations = operations;
        this.settings = SingletonSupplier.of(settings);
        this.clock = SingletonSupplier.of(clock);
        this.observers = SingletonSupplier.of(
                () -> beans.getBeanProvider(JobObserver.class).orderedStream().toList());
    }

    static Object targetOf(Object bean) {
        Object target = AopProxyUtils.getSingletonTarget(bean);
        return target == null ? bean : targetOf(target);
    }

    // Finding jobs

    /** Reports what is wrong with a job, and which of the two rules applies to it. */
    @Override
    public void check(ProxiedBean bean) {
        for (LockOperation operation : operations.allOf(bean.type())) {
            if (operation.isJob()) {
                Optional<Job> job = bean.instance() == null
                        ? read(operation, bean.type())
                        : job(operation, bean.instance(), targetOf(bean.instance()));
                log.info(
                        "Job '{}' ({}) runs {}",
                        operation.name(),
                        operation.caller(),
                        job.map(found -> "once for each fire time of its schedule: " + found.schedule)
                                .orElse("without fire times: it keeps other instances out for its minHold"));
            }
        }
    }

    @Override
    public Optional<Call> of(
            LockOperation operation, MethodInvocation invocation, LockRequest request, LockTemplate locks) {
        Object target = invocation.getThis();
        Object proxy = invocation instanceof ProxyMethodInvocation known ? known.getProxy() : target;
        return proxy == null || target == null
                ? Optional.empty()
                : job(operation, proxy, target).map(job -> new JobCall(job, request, locks));
    }

    private Optional<Job> job(LockOperation operation, Object bean, Object target) {
        Map<Method, Optional<Job>> ofBean;
        synchronized (jobs) {
            ofBean = jobs.computeIfAbsent(target, unknown -> new ConcurrentHashMap<>());
        }
        Optional<Job> known = ofBean.get(operation.method());
        if (known == null) {
            known = read(operation, bean);
            Optional<Job> first = ofBean.putIfAbsent(operation.method(), known);
            if (first != null) {
                return first;
            }
            known.ifPresent(job -> observers.get().forEach(each -> each.found(job.name(), job::sinceSuccess)));
        }
        return known;
    }

    private Optional<Job> read(LockOperation operation, Object bean) {
        String where = operation.where().replace("@DistributedLock ", "@OnOneInstance ");
        OnOneInstance annotation = MergedAnnotations.from(operation.method(), SearchStrategy.TYPE_HIERARCHY)
                .get(OnOneInstance.class)
                .synthesize();
        boolean isValue = operation.result() == ResultKind.VALUE;
        boolean isScheduled = ScheduleReader.isScheduled(operation.method());
        Schedule schedule = isValue
                ? new ScheduleReader(where, (attribute, text) -> operations.evaluate(attribute, text, where))
                        .read(operation.method())
                        .orElse(null)
                : null;
        Duration retryAfter = time(where, "retryAfter", annotation.retryAfter());
        Duration catchUp = time(where, "catchUp", annotation.catchUp());
        Duration keep = settings.get().keep();
        require(
                annotation.attempts() >= 1,
                where + " has attempts = " + annotation.attempts() + ", which is invalid.",
                "attempts must be 1 or more: how many runs for one fire time may fail.");
        require(
                !annotation.minHold().isEmpty() || (isScheduled && isValue),
                where + (isScheduled ? " returns before its end" : " has no @Scheduled") + ", and has no minHold.",
                "Add minHold = \"10m\": more than the time between calls of instances for one run, less than that to"
                        + " the next run. Or return nothing, or a value, and put @Scheduled on the method, for its fire"
                        + " times.");
        if (schedule == null) {
            require(
                    isScheduled
                            || (annotation.attempts() == 1
                                    && annotation.catchUp().isEmpty()),
                    where + " has attempts or catchUp, but no schedule that names its fire times.",
                    "Put @Scheduled with cron, fixedRate or fixedDelay on this method, or remove attempts and"
                            + " catchUp.");
            return Optional.empty();
        }
        require(
                catchUp.isZero() || schedule instanceof FireTimes,
                where + " has a catchUp, but a fixedDelay has no fire times that could be missed.",
                "Remove catchUp.");
        require(
                catchUp.compareTo(keep) <= 0,
                where + " has catchUp = " + DurationText.of(catchUp) + ", but runs are kept for "
                        + DurationText.of(keep) + ".",
                "Set a shorter catchUp, or a longer holdfast.jobs.keep.");
        var ofJob = new JobSettings.OfJob(annotation.attempts(), retryAfter, catchUp);
        return Optional.of(new Job(this, operation, schedule, ofJob, bean));
    }

    private Duration time(String where, String attribute, String text) {
        String resolved = operations.evaluate(attribute, text, where).strip();
        try {
            Duration time = resolved.isEmpty() ? Duration.ZERO : DurationStyle.detectAndParse(resolved);
            if (!AnnotationOptions.lacksUnit(resolved)) {
                return LockRequest.of("any").waitFor(time).waitFor().orElseThrow();
            }
        } catch (IllegalArgumentException e) {
            log.debug("{} has an invalid {}", where, attribute, e);
        }
        throw new LockConfigurationException(
                where + " has " + attribute + " = \"" + text + "\", which is invalid.",
                attribute + " must be text with a unit, up to 365 days: \"10s\", \"6h\", \"${app.time}\".");
    }

    private static void require(boolean holds, String problem, String action) {
        if (!holds) {
            throw new LockConfigurationException(problem, action);
        }
    }

    // What jobs need

    LockTemplate locks() {
        return LockStartupCheck.template(beans);
    }

    void publish(String job, JobRun run) {
        JobEvent event = new JobEvent(job, run);
        for (JobObserver each : observers.get()) {
            try {
                each.onEvent(event);
            } catch (RuntimeException e) {
                log.warn("A listener failed for {}; the job is not affected", event, e);
            }
        }
    }

    /** Has no effect unless the context is running. */
    synchronized void after(long nanos, Runnable call) {
        if (running) {
            DaemonThreads.Timer known = timer == null ? DaemonThreads.timer() : timer;
            timer = known;
            var unused = known.after(nanos, () -> DaemonThreads.executeOrRun(threads, call));
        }
    }

    @Override
    public void start() {
        all().forEach(Job::forgetPlan); // what was planned before a stop
        synchronized (this) {
            running = true;
        }
        all().forEach(Job::catchUp);
    }

    @Override
    public synchronized void stop() {
        running = false;
        if (timer != null) {
            timer.close();
            timer = null;
        }
    }

    @Override
    public synchronized boolean isRunning() {
        return running;
    }

    @Override
    public void destroy() {
        stop();
        var unused = DaemonThreads.end(SHUTDOWN_TIMEOUT, threads);
    }

    // For operators

    private Stream<Job> all() {
        synchronized (jobs) {
            return List.copyOf(jobs.values()).stream()
                    .flatMap(ofBean -> ofBean.values().stream())
                    .flatMap(Optional::stream)
                    .sorted(Comparator.comparing(Job::name));
        }
    }

    private Job required(String name) {
        return all().filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("There is no job '" + name + "' with a schedule. Known jobs: "
                                + all().map(Job::name).toList()));
    }

    @Override
    public List<JobStatus> list() {
        return all().map(Job::status).toList();
    }

    @Override
    public JobStatus get(String job) {
        return required(job).status();
    }

    @Override
    public void pause(String job) {
        required(job).pause("paused".getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public void resume(String job) {
        required(job).pause(new byte[0]);
    }
}
