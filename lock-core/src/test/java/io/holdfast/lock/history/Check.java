package io.holdfast.lock.history;

import io.holdfast.lock.history.Violation.Promise;
import java.util.List;
import java.util.stream.Stream;

/** Looks for broken promises in what was recorded; whatever it finds has certainly happened. */
public final class Check {

    private Check() {}

    public static List<Violation> violations(History history) {
        return Stream.of(ExclusionCheck.violations(history), TokenCheck.violations(history), heldAgain(history))
                .flatMap(List::stream)
                .toList();
    }

    private static List<Violation> heldAgain(History history) {
        return history.attempts().stream()
                .filter(Attempt::heldAgain)
                .map(each -> Violation.of(Promise.FINALITY, "held after it was not", each))
                .toList();
    }
}
