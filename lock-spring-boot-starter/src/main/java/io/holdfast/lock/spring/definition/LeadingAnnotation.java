package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LockDefinitionException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ObjectUtils;

/** Which of the annotations of one place speaks for the call, if there are several: all others only say what to lock, and how. */
final class LeadingAnnotation {

    private static final Set<String> OF_EACH_LOCK = Set.of("name", "key", "mode", "limit", "fair");

    private LeadingAnnotation() {}

    /**
     * {@return the one that sets an attribute of the call, or else the first}
     *
     * @param annotations those of one place
     * @param where that place, for messages
     * @throws LockDefinitionException if several of them do
     */
    static DistributedLock of(List<DistributedLock> annotations, String where) {
        if (annotations.size() == 1) {
            return annotations.get(0);
        }
        List<DistributedLock> leading =
                annotations.stream().filter(each -> !settingsOf(each).isEmpty()).toList();
        if (leading.size() > 1) {
            throw new LockDefinitionException(
                    where + " has " + annotations.size()
                            + " lock annotations, more than one of which sets attributes that apply to the"
                            + " whole call: "
                            + String.join(
                                    " and ",
                                    leading.stream()
                                            .map(each -> String.join(", ", settingsOf(each)))
                                            .toList())
                            + ".",
                    "Set these on one of them only. The others may only set "
                            + OF_EACH_LOCK.stream().sorted().toList() + ".");
        }
        return leading.isEmpty() ? annotations.get(0) : leading.get(0);
    }

    private static List<String> settingsOf(DistributedLock annotation) {
        return Arrays.stream(DistributedLock.class.getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> !OF_EACH_LOCK.contains(name))
                .filter(name -> !ObjectUtils.nullSafeEquals(
                        AnnotationUtils.getValue(annotation, name),
                        AnnotationUtils.getDefaultValue(DistributedLock.class, name)))
                .sorted()
                .toList();
    }
}
