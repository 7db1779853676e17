package io.holdfast.lock.spring.definition;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedSemaphore;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.annotation.OnLost;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.coroutine.SuspendFunctions;
import io.holdfast.lock.spring.key.LockExpression;
import io.holdfast.lock.spring.key.LockKeys;
import io.holdfast.lock.spring.result.ResultKind;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.expression.BeanResolver;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.function.SingletonSupplier;

/** Creates the {@link LockOperation} of each method with {@link DistributedLock}, or reports what is wrong with it. */
public final class LockOperationSource extends AnnotatedMethods<DistributedLock, LockOperation> {

    private static final Logger log = LoggerFactory.getLogger(LockOperationSource.class);

    private static final Set<String> OF_EACH = Set.of("name", "key", "keys", "mode", "limit", "fair");

    private final BeanResolver beans;
    private final Supplier<ConfiguredOptions> configured;
    private final Set<String> warnings = ConcurrentHashMap.newKeySet();

    /**
     * Creates an instance.
     *
     * @param beans resolves placeholders and {@code @bean} references
     * @param configured yields the settings in the properties; called when all beans exist, or on the first call of a method
     */
    public LockOperationSource(ConfigurableBeanFactory beans, Supplier<ConfiguredOptions> configured) {
        super(DistributedLock.class, beans);
        this.beans = new BeanFactoryResolver(beans);
        this.configured = configured;
    }

    @Override
    protected @Nullable LockOperation read(
            Method method, Class<?> userClass, List<MergedAnnotation<DistributedLock>> found) {
        boolean isJob = found.stream().anyMatch(each -> each.getMetaTypes().contains(OnOneInstance.class));
        String where = LockOperation.describe(isJob ? OnOneInstance.class : DistributedLock.class, method, userClass);
        if (found.get(0).getSource() instanceof Class && isFallback(found, method, where)) {
            return null;
        }
        List<MergedAnnotation<DistributedLock>> ordered = leadingFirst(found, where);
        DistributedLock annotation = ordered.get(0).synthesize();
        ResultKind result = ResultKind.of(method, userClass, where);
        Class<?> returnType = ResultKind.typeOf(method, userClass);
        requireSkippable(annotation, method, returnType, where);
        Method annotated = found.get(0).getSource() instanceof Method source ? source : method;
        var scope = new LockExpression.Scope(method, annotated, where, beans);
        String caller = userClass.getSimpleName() + '.' + KotlinNames.of(method);
        List<LockOperation.Lock> locks = ordered.stream()
                .map(each -> lock(each, each == ordered.get(0), method, caller, where, scope))
                .toList();
        String condition = resolve("condition", annotation.condition(), where);
        return new LockOperation(
                method,
                where,
                caller,
                locks,
                scope,
                condition.isBlank() ? null : new LockExpression("condition", condition, scope),
                annotation.onContention(),
                annotation.onLost(),
                new Fallbacks(annotation, fallbackOf(annotation, where), method, userClass, where),
                returnType,
                result,
                ordered.get(0).getMetaTypes().contains(OnOneInstance.class));
    }

    /**
     * Checks annotations and properties together, and warns about settings for names that no annotation has.
     *
     * @param all operations of the application
     * @throws LockConfigurationException if the properties do not fit an annotation
     */
    public void checkProperties(List<LockOperation> all) {
        Set<String> known = new TreeSet<>();
        Map<String, Object> first = new HashMap<>();
        Map<String, Class<?>> nameless = new TreeMap<>();
        for (LockOperation each : all) {
            for (LockOperation.Lock lock : each.locks()) {
                warnOfContradictions(each, lock, first);
                if (lock.keys().isAmbiguous()) {
                    nameless.put(each.caller(), each.method().getDeclaringClass());
                }
            }
            known.add(each.name());
        }
        if (Set.copyOf(nameless.values()).size() > 1) {
            log.warn(
                    "Lock annotations in several classes have a key, but no name, so order 42 and customer 42 are one"
                            + " lock: {}. Set a different name for each kind of resource, such as name = \"order\"",
                    nameless.keySet());
        }
        Set<String> unused = new TreeSet<>(configured.get().locks().keySet());
        unused.removeAll(known);
        if (!unused.isEmpty()) {
            log.warn(
                    "holdfast.locks has settings for names that no @DistributedLock has: {}. They have no"
                            + " effect. Known names: {}. Names with characters other than letters,"
                            + " digits and hyphens need brackets: holdfast.locks[Orders.pay]",
                    LockKey.printable(String.join(", ", unused)),
                    LockKey.printable(String.join(", ", known)));
        }
    }

    private static void warnOfContradictions(LockOperation each, LockOperation.Lock lock, Map<String, Object> first) {
        LockRequest shape = lock.shape().get();
        boolean isJob =
                each.onContention() == OnContention.SKIP && shape.minHold().isPresent();
        if (isJob && lock.keys().expressions().isEmpty()) {
            String warning = "Two jobs have the name '{}', so one excludes the other, unless it is renamed: {}, {}";
            warnOfOther(each.where(), lock, first, warning);
        }
        if (shape.mode() == LockMode.SHARED && shape.limit() != LockRequest.UNLIMITED) {
            String warning = "Semaphore '{}' has {} permits in one annotation and {} in another; set the same number";
            warnOfOther(shape.limit(), lock, first, warning);
        }
    }

    /** @param first the first value for each kind of warning and name */
    private static void warnOfOther(Object value, LockOperation.Lock lock, Map<String, Object> first, String warning) {
        Object other = first.putIfAbsent(warning + lock.name(), value);
        if (other != null && !other.equals(value)) {
            log.warn(warning, LockKey.printable(lock.name()), other, value);
        }
    }

    /** An annotation is read once for each method that calls may refer to, such as that of an interface. */
    void warnOnce(String warning) {
        if (warnings.add(warning)) {
            log.warn(warning);
        }
    }

    /** An annotation on a class does not apply to the fallback method that it names. */
    private boolean isFallback(List<MergedAnnotation<DistributedLock>> ofClass, Method method, String where) {
        return ofClass.stream()
                .map(each -> fallbackOf(each.synthesize(), where))
                .anyMatch(KotlinNames.of(method)::equals);
    }

    private String fallbackOf(DistributedLock annotation, String where) {
        return resolve("fallbackMethod", annotation.fallbackMethod(), where);
    }

    /**
     * Puts the annotation that sets attributes of the call first: it applies to the call. All others only specify what to lock,
     * and how.
     */
    private static List<MergedAnnotation<DistributedLock>> leadingFirst(
            List<MergedAnnotation<DistributedLock>> found, String where) {
        List<MergedAnnotation<DistributedLock>> ordered = new ArrayList<>(found);
        ordered.removeIf(each -> ofTheCall(each).isEmpty());
        if (ordered.size() > 1) {
            throw new LockConfigurationException(
                    where + " has " + found.size()
                            + " lock annotations, more than one of which sets attributes that apply to the"
                            + " whole call: "
                            + ordered.stream()
                                    .map(LockOperationSource::ofTheCall)
                                    .distinct()
                                    .collect(Collectors.joining(" and "))
                            + ".",
                    "Set these on one of them only. The others may only set [fair, key, keys, limit, mode, name].");
        }
        found.stream().filter(each -> !ordered.contains(each)).forEach(ordered::add);
        return ordered;
    }

    private static String ofTheCall(MergedAnnotation<DistributedLock> annotation) {
        return Stream.of(DistributedLock.class.getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> !OF_EACH.contains(name) && annotation.hasNonDefaultValue(name))
                .sorted()
                .collect(Collectors.joining(", "));
    }

    private LockOperation.Lock lock(
            MergedAnnotation<DistributedLock> found,
            boolean isLeading,
            Method method,
            String caller,
            String where,
            LockExpression.Scope scope) {
        DistributedLock annotation = found.synthesize();
        String given = LiteralText.requireName(resolve("name", annotation.name(), where), where, scope.names());
        if (given.isBlank() && !annotation.name().isBlank()) {
            throw new LockConfigurationException(
                    where + " has name = \"" + annotation.name() + "\", which is empty.",
                    "Set the property to the name of the lock, or write the name in the annotation.");
        }
        LockKeys keys = keys(annotation, given, where, scope);
        if (given.isBlank() && (!given.isEmpty() || keys.expressions().isEmpty())) {
            boolean hasKey = !found.getMetaTypes().contains(OnOneInstance.class)
                    && ReflectionUtils.findMethod(found.getRoot().getType(), "key") != null;
            throw new LockConfigurationException(
                    where + " has neither a name nor a key.",
                    "Specify what to lock: " + (hasKey ? "key = \"#order.id\", key = \"'nightly'\", or " : "")
                            + "name = \"nightly\".");
        }
        String name = given.isEmpty() ? caller : given;
        LockOptions options = new AnnotationOptions(found, annotation, this, where).read();
        boolean isScheduled = isScheduled(method);
        return new LockOperation.Lock(name, keys, SingletonSupplier.of(() -> {
            LockOptions named = isLeading ? configured.get().of(name) : LockOptions.NONE;
            Integer limit = options.limit() == null ? named.limit() : options.limit();
            requirePermits(found, limit, where, isLeading ? " or set " + limitOf(name) : "");
            LockRequest shape = shape(annotation.mode(), limit, named.weight(), where)
                    .name(name)
                    .interruptOnLoss(annotation.onLost() == OnLost.INTERRUPT);
            return options.applyTo(isLeading ? configured.get().applyTo(shape, name, isScheduled) : shape);
        }));
    }

    /** Empty text counts as unset: a composed annotation may pass on an attribute that was not set. */
    private LockKeys keys(DistributedLock annotation, String name, String where, LockExpression.Scope scope) {
        String key = resolve("key", annotation.key(), where);
        List<String> keys = Stream.of(annotation.keys())
                .map(text -> resolve("keys", text, where))
                .toList();
        boolean several = !keys.stream().allMatch(String::isEmpty);
        boolean both = several && !key.isEmpty();
        List<String> texts = several ? keys : key.isEmpty() ? List.of() : List.of(key);
        if (both || texts.stream().anyMatch(String::isBlank)) {
            String one = several ? " has keys, one of which is blank." : " has a key that is blank.";
            throw new LockConfigurationException(
                    where + (both ? " has both key and keys." : one),
                    "For one lock, use key, which may join values: key = \"parts(#shop, #id)\". For several locks, all"
                            + " or none, use keys = {\"#from\", \"#to\"}. To lock the name, omit both.");
        }
        Stream<LockExpression> expressions =
                texts.stream().map(text -> new LockExpression(several ? "keys" : "key", text, scope));
        return new LockKeys(name, several, expressions.toList());
    }

    private static LockRequest shape(LockMode mode, @Nullable Integer limit, @Nullable Integer weight, String where) {
        LockRequest exclusive = LockRequest.of("no key yet");
        if (mode == LockMode.EXCLUSIVE) {
            return exclusive;
        }
        LockRequest shared = limit == null ? exclusive.shared() : exclusive.shared(limit);
        try {
            return weight == null ? shared : shared.weight(weight);
        } catch (IllegalArgumentException e) {
            throw new LockConfigurationException(
                    where + " has weight = " + weight + " (holdfast.locks), which is invalid: " + e.getMessage() + ".",
                    "Set a limit of at least the weight, or remove the weight.",
                    e);
        }
    }

    /** Applies also if {@code @DistributedSemaphore} is used as a meta-annotation. */
    private static void requirePermits(
            MergedAnnotation<DistributedLock> found, @Nullable Integer limit, String where, String elsewhere) {
        if (found.getMetaTypes().contains(DistributedSemaphore.class) && limit == null) {
            throw new LockConfigurationException(
                    where + " has a @DistributedSemaphore without permits, which would not limit anything.",
                    "Set permits in the annotation" + elsewhere + ".");
        }
    }

    private static String limitOf(String name) {
        return "holdfast.locks" + (name.matches("[-a-z0-9]+") ? "." + name : "[" + name + "]") + ".limit";
    }

    private static void requireSkippable(DistributedLock annotation, Method method, Class<?> type, String where) {
        if (annotation.onContention() == OnContention.SKIP && !ResultKind.canBeSkipped(method, type)) {
            throw new LockConfigurationException(
                    where + " has onContention = SKIP, but returns "
                            + SuspendFunctions.declaredType(method).getName()
                            + ", so a skipped call has no value to return.",
                    "Return a type that can be empty or null, such as an Optional, or in Kotlin a nullable type; or, with"
                            + " @DistributedLock, use onContention = THROW.");
        }
    }
}
