package io.holdfast.lock.spring.leader;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.spring.definition.AnnotatedMethods;
import io.holdfast.lock.spring.definition.LiteralText;
import io.holdfast.lock.spring.definition.LockOperation;
import io.holdfast.lock.spring.result.ResultKind;
import java.lang.reflect.Method;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;

/** Creates the {@link Guarded} of each method with {@link LeaderOnly}, or reports what is wrong with it. */
final class GuardedMethods extends AnnotatedMethods<LeaderOnly, GuardedMethods.Guarded> {

    /**
     * A method that runs on the leader only.
     *
     * @param where the annotated element, for messages
     * @param role the role that the instance has to lead
     * @param skipped the result of a skipped call
     */
    record Guarded(String where, String role, @Nullable Object skipped) {}

    /** @param beans resolves placeholders and expressions */
    GuardedMethods(ConfigurableBeanFactory beans) {
        super(LeaderOnly.class, beans);
    }

    @Override
    protected Guarded read(Method method, Class<?> userClass, List<MergedAnnotation<LeaderOnly>> found) {
        String where = LockOperation.describe(LeaderOnly.class, method, userClass);
        String role = evaluate(MergedAnnotation.VALUE, found.get(0).getString(MergedAnnotation.VALUE), where);
        if (role.isBlank()) {
            throw new LockConfigurationException(
                    where + " does not name a role.", "Specify the role: @LeaderOnly(\"reports\").");
        }
        if (LiteralText.isExpression(role)) {
            throw new LockConfigurationException(
                    where + " has the role \"" + LockKey.printable(role)
                            + "\", but a role is literal text, not an expression.",
                    "Specify the role as text or by a property: @LeaderOnly(\"reports\") or"
                            + " @LeaderOnly(\"${app.role}\").");
        }
        Class<?> type = ResultKind.typeOf(method, userClass);
        if (ResultKind.isPublisher(method, type)) {
            throw new LockConfigurationException(
                    where
                            + " returns a reactive type or is a suspend function, so its work does not start when it"
                            + " is called.",
                    "Check Leadership.isLeader() where the work starts.");
        }
        if (!ResultKind.canBeSkipped(method, type)) {
            throw new LockConfigurationException(
                    where + " returns " + type.getSimpleName() + ", so a call on an instance that is not the leader has"
                            + " nothing to return.",
                    "Return void, an Optional, or a type that can be null.");
        }
        boolean future = type != Object.class && type.isAssignableFrom(CompletableFuture.class);
        return new Guarded(where, role, future ? CompletableFuture.completedFuture(null) : ResultKind.skipped(type));
    }
}
