package io.holdfast.lock.spring.leader;

import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.definition.AnnotatedMethods;
import io.holdfast.lock.spring.definition.LiteralText;
import io.holdfast.lock.spring.definition.LockAnnotations;
import io.holdfast.lock.spring.definition.LockDefinition;
import io.holdfast.lock.spring.definition.Placeholders;
import io.holdfast.lock.spring.result.ResultKind;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/** Finds {@link LeaderOnly}: on the method, on those it overrides or implements, on the class, on its super-types. */
final class GuardedMethods extends AnnotatedMethods<GuardedMethod> {

    private final Placeholders placeholders;

    /** @param beans resolves placeholders */
    GuardedMethods(ConfigurableBeanFactory beans) {
        this.placeholders = new Placeholders(beans::resolveEmbeddedValue);
    }

    @Override
    protected @Nullable GuardedMethod read(Method method, Method specific, Class<?> userClass, Class<?> targetClass) {
        for (AnnotatedElement each : places(method, specific, ClassUtils.getUserClass(targetClass))) {
            MergedAnnotation<LeaderOnly> found =
                    MergedAnnotations.from(each, SearchStrategy.TYPE_HIERARCHY).get(LeaderOnly.class);
            if (found.isPresent()) {
                return guarded(specific, userClass, found.getString(MergedAnnotation.VALUE));
            }
        }
        return null;
    }

    @Override
    public Method methodOf(GuardedMethod found) {
        return found.method();
    }

    /** Of a proxy, each of its interfaces counts. */
    private static List<AnnotatedElement> places(Method method, Method specific, Class<?> wholeClass) {
        List<AnnotatedElement> places =
                new ArrayList<>(List.of(specific, method, ClassUtils.getMostSpecificMethod(method, wholeClass)));
        if (LockAnnotations.belongsToClass(specific)) {
            places.add(wholeClass);
        }
        return places;
    }

    private GuardedMethod guarded(Method method, Class<?> userClass, String role) {
        String where = LockDefinition.describe(LeaderOnly.class, method, userClass);
        String resolved = placeholders.resolve(MergedAnnotation.VALUE, role, where);
        if (resolved.isBlank()) {
            throw new LockDefinitionException(
                    where + " does not name a role.", "Specify the role: @LeaderOnly(\"reports\").");
        }
        if (LiteralText.isExpression(resolved)) {
            throw new LockDefinitionException(
                    where + " has the role \"" + resolved + "\", but a role is literal text, not an expression.",
                    "Specify the role as text or by a property: @LeaderOnly(\"reports\") or @LeaderOnly(\"${app.role}\").");
        }
        Class<?> type = ResultKind.typeOf(method, userClass);
        if (ResultKind.isPublisher(method, type)) {
            throw new LockDefinitionException(
                    where
                            + " returns a reactive type or is a suspend function, so its work does not start when it"
                            + " is called.",
                    "Check Leadership.isLeader() where the work starts.");
        }
        if (!ResultKind.canBeSkipped(method, type)) {
            throw new LockDefinitionException(
                    where + " returns " + type.getSimpleName() + ", so a call on an instance that is not the leader has"
                            + " nothing to return.",
                    "Return void, an Optional, or a type that can be null.");
        }
        return new GuardedMethod(method, resolved, type);
    }
}
