package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.annotation.OnContention;
import io.holdfast.lock.spring.coroutine.KotlinNames;
import io.holdfast.lock.spring.coroutine.SuspendFunctions;
import io.holdfast.lock.spring.key.Condition;
import io.holdfast.lock.spring.key.KeySource;
import io.holdfast.lock.spring.key.LockedPlace;
import io.holdfast.lock.spring.result.ResultKind;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.expression.BeanResolver;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringValueResolver;

/** Turns an annotation into a {@link LockDefinition}, or says what is wrong with it. */
final class DefinitionParser {

    private final Placeholders placeholders;
    private final SettingsParser settings;
    private final BeanResolver beans;
    private final Supplier<ConfiguredSettings> configured;
    private final ParameterNameDiscoverer parameterNames;

    /**
     * Creates an instance.
     *
     * @param properties replaces {@code ${…}} in text attributes
     * @param beans yields what key expressions call {@code @name}
     * @param configured yields what the properties say; asked at the first call of a method
     */
    DefinitionParser(StringValueResolver properties, BeanResolver beans, Supplier<ConfiguredSettings> configured) {
        this(properties, beans, configured, new DefaultParameterNameDiscoverer());
    }

    DefinitionParser(
            StringValueResolver properties,
            BeanResolver beans,
            Supplier<ConfiguredSettings> configured,
            ParameterNameDiscoverer parameterNames) {
        this.placeholders = new Placeholders(properties);
        this.settings = new SettingsParser(placeholders);
        this.beans = beans;
        this.configured = configured;
        this.parameterNames = parameterNames;
    }

    Placeholders placeholders() {
        return placeholders;
    }

    /** @param annotations those of one place, at least one */
    LockDefinition parse(List<DistributedLock> annotations, Method method, Class<?> userClass) {
        String where = LockDefinition.describe(method, userClass);
        DistributedLock annotation = LeadingAnnotation.of(annotations, where);
        ResultKind result = ResultKind.of(method, userClass, where);
        Class<?> returnType = ResultKind.typeOf(method, userClass);
        checkSkip(annotation, method, returnType, where);
        String caller = userClass.getSimpleName() + '.' + KotlinNames.of(method);
        String given = name(annotation, method, where);
        String name = given.isEmpty() ? caller : given;
        LockedPlace place = new LockedPlace(method, annotated(method), where, parameterNames, beans);
        CallTimes times = settings.parseCallTimes(annotation, place);
        return new LockDefinition(
                method,
                caller,
                name,
                key(given, annotation, place),
                annotations.stream()
                        .filter(each -> each != annotation)
                        .map(each -> further(each, caller, place))
                        .toList(),
                Condition.of(placeholders.resolve("condition", annotation.condition(), where), place),
                RequestShape.of(
                        name,
                        where,
                        isScheduled(method),
                        annotation,
                        settings.parse(annotation, where),
                        configured,
                        new DoubtfulSettings(where, schedule(method), times, settings.numbers(annotation))),
                times,
                annotation.onContention(),
                annotation.onLost(),
                FallbackParser.parse(annotation, placeholders, method, userClass, where),
                returnType,
                result);
    }

    private FurtherLock further(DistributedLock annotation, String caller, LockedPlace place) {
        String where = place.description();
        String name = name(annotation, place.method(), where);
        return new FurtherLock(
                name.isEmpty() ? caller : name,
                key(name, annotation, place),
                RequestShape.lock(annotation, settings.parse(annotation, where), where, ""));
    }

    private String name(DistributedLock annotation, Method method, String where) {
        String[] parameters = parameterNames.getParameterNames(method);
        return LiteralText.requireName(
                placeholders.resolve("name", annotation.name(), where),
                where,
                parameters == null ? List.of() : List.of(parameters));
    }

    static boolean isScheduled(Method method) {
        return AnnotatedElementUtils.hasAnnotation(method, Scheduled.class)
                || AnnotatedElementUtils.hasAnnotation(method, Schedules.class);
    }

    private static DoubtfulSettings.Schedule schedule(Method method) {
        var schedule = DoubtfulSettings.Schedule.NONE;
        for (Scheduled each : AnnotatedElementUtils.getMergedRepeatableAnnotations(method, Scheduled.class)) {
            if (!each.cron().isEmpty()) {
                if (!each.cron().equals(Scheduled.CRON_DISABLED)) {
                    return DoubtfulSettings.Schedule.CRON;
                }
            } else if (isPeriodic(each)) {
                schedule = DoubtfulSettings.Schedule.PERIOD;
            }
        }
        return schedule;
    }

    private static boolean isPeriodic(Scheduled scheduled) {
        return scheduled.fixedRate() >= 0
                || scheduled.fixedDelay() >= 0
                || !scheduled.fixedRateString().isEmpty()
                || !scheduled.fixedDelayString().isEmpty();
    }

    /** The expressions were written by the names that can be seen there. */
    private static Method annotated(Method method) {
        MergedAnnotation<DistributedLock> found =
                MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(DistributedLock.class);
        return found.getSource() instanceof Method source ? source : method;
    }

    private KeySource key(String name, DistributedLock annotation, LockedPlace place) {
        String where = place.description();
        List<String> expressions = expressions(annotation, where);
        if (name.isBlank() && (!name.isEmpty() || expressions.isEmpty())) {
            throw new LockDefinitionException(
                    where + " has neither a name nor a key.",
                    "Specify what to lock: key = \"#order.id\", key = \"'nightly'\", or name = \"nightly\".");
        }
        return KeySource.of(name, expressions, place);
    }

    /** A single blank one is none; a composed annotation may hand on an attribute that was not set. */
    private List<String> expressions(DistributedLock annotation, String where) {
        List<String> expressions = Arrays.stream(annotation.key())
                .map(text -> placeholders.resolve("key", text, where))
                .toList();
        if (expressions.size() == 1 && expressions.get(0).isBlank()) {
            return List.of();
        }
        if (expressions.stream().anyMatch(String::isBlank)) {
            throw new LockDefinitionException(
                    where + " has a key of " + expressions.size() + " parts, one of which is blank.",
                    "Remove it, or give it a value: key = {\"#shop\", \"#order.id\"}.");
        }
        return expressions;
    }

    private static void checkSkip(DistributedLock annotation, Method method, Class<?> type, String where) {
        if (annotation.onContention() == OnContention.SKIP && !ResultKind.canBeSkipped(method, type)) {
            throw new LockDefinitionException(
                    where + " has onContention = SKIP, but returns "
                            + (type.isPrimitive()
                                    ? "the primitive " + type
                                    : "a "
                                            + SuspendFunctions.declaredType(method)
                                                    .getName())
                            + ", so a skipped call has no value to return.",
                    "Return "
                            + (type.isPrimitive()
                                    ? ClassUtils.resolvePrimitiveIfNecessary(type)
                                                    .getSimpleName() + " or an Optional"
                                    : "a type that can be empty or null")
                            + " instead, or use onContention = THROW.");
        }
    }
}
