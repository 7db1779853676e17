package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.api.DurationText;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.aop.JobCalls;
import io.holdfast.lock.spring.aop.LockAdvisor;
import io.holdfast.lock.spring.aop.LockInterceptor;
import io.holdfast.lock.spring.aop.LockStartupCheck;
import io.holdfast.lock.spring.definition.AnnotationOptions;
import io.holdfast.lock.spring.definition.LockOperation;
import io.holdfast.lock.spring.definition.LockOperationSource;
import io.holdfast.lock.spring.result.ResultKind;
import io.holdfast.lock.threads.DaemonThreads;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
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
import org.springframework.context.SmartLifecycle;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.util.function.SingletonSupplier;

/**
 * The jobs of one application, each found when its bean is checked at startup, or with its first call. Calls them by itself only while the
 * context is running, and only if a scheduler of the application calls them as well.
 */
final class JobRegistry implements Jobs, JobCalls, SmartLifecycle, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(OnOneInstance.class);

    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofMillis(500);

    private final ConfigurableListableBeanFactory beans;
    private final LockOperationSource operations;
    final JobSettings settings;
    final Clock clock;
    final Supplier<LockTemplate> locks;
    private final Supplier<List<JobObserver>> observers;
    /** One for each method and key. */
    private final List<Job> jobs = new CopyOnWriteArrayList<>();
    /** Empty for methods that are locked as any other: of any number of beans, which may live for one request. */
    private final Map<Method, Optional<JobRules>> rules = new ConcurrentHashMap<>();
    /** The methods of jobs without keys, by the name of the job. */
    private final Map<String, String> methods = new ConcurrentHashMap<>();

    private final ExecutorService threads = DaemonThreads.pool(Integer.MAX_VALUE, "holdfast-jobs");
    private final DaemonThreads.Timer timer = DaemonThreads.timer();
    private volatile boolean running;

    /**
     * Creates an instance.
     *
     * @param beans contains the template, and the observers of runs
     * @param operations finds methods with {@link OnOneInstance}
     * @param settings the settings
     * @param clock the clock by which the scheduler runs methods
     */
    JobRegistry(
            ConfigurableListableBeanFactory beans, LockOperationSource operations, JobSettings settings, Clock clock) {
        this.beans = beans;
        this.operations = operations;
        this.settings = settings;
        this.clock = clock;
        this.locks = SingletonSupplier.of(() -> LockStartupCheck.template(beans));
        this.observers = SingletonSupplier.of(
                () -> beans.getBeanProvider(JobObserver.class).orderedStream().toList());
    }

    static Object targetOf(Object bean) {
        Object target = AopProxyUtils.getSingletonTarget(bean);
        return target == null ? bean : targetOf(target);
    }

    // Finding jobs

    @Override
    public void check(LockOperation operation, @Nullable Object bean) {
        Optional<JobRules> found = rules.computeIfAbsent(operation.method(), method -> read(operation));
        String rule = found.map(known -> once(operation, known))
                .orElse("without fire times: it keeps other instances out for its minHold");
        log.info("Job '{}' ({}) runs {}", LockKey.printable(operation.name()), operation.caller(), rule);
        if (bean != null && found.isPresent()) {
            var unused = job(operation, found.get(), bean, null);
        }
    }

    /** Two methods of one name would claim fire times from each other, unless they have keys. */
    private String once(LockOperation operation, JobRules found) {
        LockOperation.Lock lock = operation.locks().get(0);
        String other =
                lock.keys().expressions().isEmpty() ? methods.putIfAbsent(operation.name(), operation.where()) : null;
        require(
                other == null || other.equals(operation.where()),
                "Two scheduled jobs have the name '" + operation.name()
                        + "', so each would skip what the other one runs: " + other + ", " + operation.where() + ".",
                "Give each its own name. If they must not run at the same time, acquire one lock inside both methods,"
                        + " with LockTemplate.");
        return "once for each fire time of its schedule: " + found.schedule()
                + (lock.shape().get().minHold().isPresent() ? "; its minHold has no effect" : "");
    }

    @Override
    public Optional<Call> of(LockOperation operation, MethodInvocation invocation, LockRequest request) {
        Object proxy = ((ProxyMethodInvocation) invocation).getProxy();
        return rules.computeIfAbsent(operation.method(), method -> read(operation))
                .map(found -> new JobCall(job(operation, found, proxy, request), request));
    }

    private Job job(LockOperation operation, JobRules found, Object bean, @Nullable LockRequest request) {
        Job job = new Job(this, operation, found, bean, request);
        synchronized (jobs) {
            Optional<Job> known = jobs.stream().filter(job::isSame).findFirst();
            if (known.isPresent()) {
                known.get().bean = bean; // a scope may have replaced the former one
                return known.get();
            }
            jobs.add(job);
        }
        observers.get().forEach(each -> each.found(job.name(), job::sinceSuccess, job::sinceDue));
        return job;
    }

    /** Why the method has no fire times, whatever its schedule; null if it may have some. */
    private @Nullable String obstacle(LockOperation operation) {
        if (operation.result() != ResultKind.VALUE) {
            return " returns before its end";
        } else if (operation.locks().size() > 1) {
            return " has several lock annotations";
        }
        boolean canRecord = settings.keepsData() && settings.maxDataSize() >= JobState.MIN_BYTES;
        return canRecord ? null : " cannot record its runs in a store without data, as a quorum, or in less than 1KB";
    }

    private Optional<JobRules> read(LockOperation operation) {
        String where = operation.where();
        MergedAnnotation<OnOneInstance> found = MergedAnnotations.from(
                        operation.method(), SearchStrategy.TYPE_HIERARCHY)
                .get(OnOneInstance.class);
        OnOneInstance annotation = found.synthesize();
        Duration retryAfter = AnnotationOptions.time(operations, where, "retryAfter", annotation.retryAfter());
        Duration catchUp = AnnotationOptions.time(operations, where, "catchUp", annotation.catchUp());
        require(
                annotation.attempts() >= 1,
                where + " has attempts = " + annotation.attempts() + ", which is invalid.",
                "attempts must be 1 or more: how many runs for one fire time may fail.");
        var reader = new ScheduleReader(where, (attribute, text) -> operations.evaluate(attribute, text, where));
        String obstacle = obstacle(operation);
        Schedule schedule = obstacle == null ? reader.read(operation.method()).orElse(null) : null;
        if (obstacle == null && schedule == null && !reader.isDisabled(operation.method())) {
            obstacle = " has no @Scheduled for repeated runs";
        }
        Optional<Duration> minHold = operation.locks().get(0).shape().get().minHold();
        boolean isRepeated = Stream.of("attempts", "retryAfter", "catchUp").anyMatch(found::hasNonDefaultValue);
        require(
                obstacle == null || (minHold.isPresent() && !isRepeated),
                where + obstacle + ", so it has no fire times, "
                        + (isRepeated ? "to which attempts, retryAfter and catchUp apply." : "and has no minHold."),
                "Set minHold = \"10m\" (more than the time between calls of instances for one run, less than that to the"
                        + " next run), but none of attempts, retryAfter and catchUp. Or, for fire times, put @Scheduled"
                        + " with cron, fixedRate or fixedDelay on the method, which returns nothing, or a value, and has"
                        + " no other lock, on one server or a cluster, with a holdfast.max-data-size of 1KB or more.");
        if (schedule == null) {
            return Optional.empty();
        }
        Duration keep = settings.keep();
        require(
                schedule.period().compareTo(keep) <= 0,
                where + " has a " + schedule + ", but runs are kept for " + DurationText.of(keep) + ".",
                "Set a longer holdfast.jobs.keep, or a shorter period; for a single run, @Scheduled(initialDelay = …).");
        require(
                catchUp.compareTo(keep) <= 0,
                where + " has catchUp = " + DurationText.of(catchUp) + ", but runs are kept for "
                        + DurationText.of(keep) + ".",
                "Set a shorter catchUp, or a longer holdfast.jobs.keep.");
        String instance = ManagementFactory.getRuntimeMXBean().getName();
        return Optional.of(new JobRules(schedule, annotation.attempts(), retryAfter, catchUp, instance));
    }

    private static void require(boolean holds, String problem, String action) {
        if (!holds) {
            throw new LockConfigurationException(problem, action);
        }
    }

    // What jobs need

    /** What a call of the job by its scheduler would lock. */
    LockRequest request(LockOperation operation, Object target) {
        return beans.getBean(LockAdvisor.INTERCEPTOR, LockInterceptor.class)
                .request(operation, operation.scope().call(target, new Object[0]));
    }

    void publish(String job, JobRun run) {
        JobEvent event = new JobEvent(job, run);
        for (JobObserver each : observers.get()) {
            try {
                each.onEvent(event);
            } catch (RuntimeException | Error e) {
                log.warn("A listener failed for {}; the job is not affected", event, e);
            }
        }
    }

    /** {@return false, without effect, unless the context is running, and has a scheduler} */
    synchronized boolean after(long nanos, Runnable call) {
        if (running) {
            var unused = timer.after(nanos, () -> execute(call));
        }
        return running;
    }

    /** While this is running, the threads have not been ended. */
    private synchronized void execute(Runnable call) {
        if (running) {
            threads.execute(call);
        }
    }

    @Override
    public void start() {
        all().forEach(Job::forgetPlan); // what was planned before a stop
        String[] schedulers = beans.getBeanNamesForType(ScheduledAnnotationBeanPostProcessor.class, true, false);
        if (schedulers.length == 0 && !jobs.isEmpty()) {
            log.warn("This instance has no scheduler, so it calls no job by itself. Add @EnableScheduling, unless other"
                    + " code or other instances call its jobs");
        }
        running = schedulers.length > 0;
        all().forEach(job -> after(0, job::start));
    }

    @Override
    public synchronized void stop() {
        running = false;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public void destroy() {
        stop();
        timer.close();
        var unused = DaemonThreads.end(SHUTDOWN_TIMEOUT, threads);
    }

    // For operators

    private Stream<Job> all() {
        return jobs.stream().sorted(Comparator.comparing(Job::name));
    }

    /** Any of them if there are several, with keys: they have a common pause. */
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
        required(job).pause(true);
    }

    @Override
    public void resume(String job) {
        required(job).pause(false);
    }
}
