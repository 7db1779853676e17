package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.spring.LockConfigurationException;
import java.lang.reflect.Method;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.support.CronExpression;

/**
 * Reads the schedule of a method as Spring does.
 *
 * @param where the annotated method, for messages
 * @param evaluate resolves placeholders and expressions, given the attribute and its text
 */
record ScheduleReader(String where, BinaryOperator<String> evaluate) {

    /**
     * {@return the schedule; empty if the method has none: no annotation, one for a single run, or a disabled one}
     *
     * @throws LockConfigurationException if it cannot be read
     */
    Optional<Schedule> read(Method method) {
        List<Schedule> all = new ArrayList<>();
        for (Scheduled each : AnnotatedElementUtils.getMergedRepeatableAnnotations(method, Scheduled.class)) {
            try {
                cron(each).ifPresent(all::add);
                time("fixedRate", each.fixedRate(), each.fixedRateString(), each)
                        .map(period -> new Schedule.Rate(Duration.ofMillis(Math.max(1, period.toMillis()))))
                        .ifPresent(all::add);
                time("fixedDelay", each.fixedDelay(), each.fixedDelayString(), each)
                        .map(Schedule.Delay::new)
                        .ifPresent(all::add);
            } catch (IllegalArgumentException | DateTimeException e) {
                throw new LockConfigurationException(
                        where + " has a @Scheduled that cannot be read: " + e.getMessage() + ".",
                        "Correct the @Scheduled.",
                        e);
            }
        }
        if (all.size() > 1 && all.stream().anyMatch(Schedule.Delay.class::isInstance)) {
            throw new LockConfigurationException(
                    where + " has a fixedDelay and another schedule, so its runs have no common fire times.",
                    "Use one @Scheduled with a fixedDelay, or several with cron or fixedRate.");
        }
        return all.stream().reduce((one, other) -> new Schedule.Several(List.of(one, other)));
    }

    /** {@return whether Spring never calls the method, because {@code "-"} stands in place of a cron expression} */
    boolean isDisabled(Method method) {
        return AnnotatedElementUtils.getMergedRepeatableAnnotations(method, Scheduled.class).stream()
                .map(each -> evaluate.apply("cron", each.cron()))
                .anyMatch(Scheduled.CRON_DISABLED::equals);
    }

    private Optional<Schedule> cron(Scheduled annotation) {
        String cron = evaluate.apply("cron", annotation.cron());
        if (cron.isBlank() || cron.equals(Scheduled.CRON_DISABLED)) {
            return Optional.empty();
        }
        String zone = evaluate.apply("zone", annotation.zone());
        return Optional.of(new Schedule.Cron(
                CronExpression.parse(cron), zone.isBlank() ? ZoneId.systemDefault() : ZoneId.of(zone)));
    }

    private Optional<Duration> time(String name, long number, String text, Scheduled annotation) {
        if (number >= 0) {
            return Optional.of(Duration.of(number, annotation.timeUnit().toChronoUnit()));
        }
        String resolved = evaluate.apply(name + "String", text);
        return resolved.isBlank()
                ? Optional.empty()
                : Optional.of(DurationFormatterUtils.detectAndParse(
                        resolved,
                        DurationFormat.Unit.fromChronoUnit(annotation.timeUnit().toChronoUnit())));
    }
}
