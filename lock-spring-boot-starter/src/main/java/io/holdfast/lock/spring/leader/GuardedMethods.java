package io.holdfast.lock.spring.leader;

import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import io.holdfast.lock.spring.definition.LockAnnotations;
import io.holdfast.lock.spring.definition.LockDefinition;
import io.holdfast.lock.spring.result.ResultKind;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/** Finds {@link LeaderOnly}: on the method, on those it overrides or implements, on the class, on its super-types. */
final class GuardedMethods {

    private final Map<MethodClassKey, GuardedMethod> known = new ConcurrentHashMap<>();
    private final ConfigurableBeanFactory beans;

    /** @param beans resolves placeholders */
    GuardedMethods(ConfigurableBeanFactory beans) {
        this.beans = beans;
    }

    /**
     * @return null if the method has no annotation
     * @throws LockDefinitionException if the annotation cannot work
     */
    @Nullable
    GuardedMethod find(Method method, Class<?> targetClass) {
        MethodClassKey id = new MethodClassKey(method, targetClass);
        GuardedMethod guarded = known.get(id);
        if (guarded == null) {
            guarded = parse(method, ClassUtils.getUserClass(targetClass));
            if (guarded != null) {
                known.put(id, guarded);
            }
        }
        return guarded;
    }

    private @Nullable GuardedMethod parse(Method method, Class<?> userClass) {
        Method specific = LockAnnotations.specific(method, userClass);
        for (AnnotatedElement each : places(method, specific, userClass)) {
            MergedAnnotation<LeaderOnly> found =
                    MergedAnnotations.from(each, SearchStrategy.TYPE_HIERARCHY).get(LeaderOnly.class);
            if (found.isPresent()) {
                return guarded(specific, userClass, found.getString(MergedAnnotation.VALUE));
            }
        }
        return null;
    }

    private static List<AnnotatedElement> places(Method method, Method specific, Class<?> userClass) {
        List<AnnotatedElement> places = new ArrayList<>(List.of(specific, method));
        if (LockAnnotations.belongsToClass(specific)) {
            places.add(userClass);
            places.add(specific.getDeclaringClass());
        }
        return places;
    }

    private GuardedMethod guarded(Method method, Class<?> userClass, String role) {
        String where = LockDefinition.describe(LeaderOnly.class, method, userClass);
        String resolved = beans.resolveEmbeddedValue(role);
        if (resolved == null || resolved.isBlank()) {
            throw new LockDefinitionException(
                    where + " does not name a role.", "Specify the role: @LeaderOnly(\"reports\").");
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
