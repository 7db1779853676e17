package io.holdfast.lock.history;

import io.holdfast.lock.history.Violation.Promise;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds handles that were certainly held at the same instant although they must not be.
 *
 * <p><b>Two handles.</b> Of each the record knows one instant, not after {@code heldBy}, and one, not before {@code
 * heldStill}, at which it was held, and so it was between them (see {@link Attempt}). Wherever those instants were, the two
 * spans have an instant in common if {@code a.heldBy <= b.heldStill} and {@code b.heldBy <= a.heldStill}: the first says
 * that a's began before b's ended, the second that b's began before a's ended.
 *
 * <pre>
 *     a  ├─true─┤                    ├─true─┤
 *               a.heldBy             a.heldStill        b was held at an instant of its answer,
 *     b              ├─true─┤                           and a all that time
 *                    b.heldStill
 *                           b.heldBy
 * </pre>
 *
 * If one of them is not true, there are instants that explain the record without any overlap, as far as these two are
 * concerned. So this is never a false alarm, and misses nothing that two handles' answers prove.
 *
 * <p><b>More of them.</b> Spans of time that have instants in common two by two have one in common all together (Helly's
 * theorem in one dimension). So it is enough to count, for the handle of a group that is last to be known as held, how many
 * others are certainly held then. A handle with one true answer only counts together with those that were held all
 * through that answer; two such handles never prove anything about each other.
 *
 * <p>Handles of the same hold, that is, reentries of the same thread, count as one.
 */
final class ExclusionCheck {

    private final List<Violation> violations = new ArrayList<>();

    private ExclusionCheck() {}

    static List<Violation> violations(History history) {
        ExclusionCheck check = new ExclusionCheck();
        history.grantsByKey().values().forEach(check::checkKey);
        return check.violations;
    }

    private void checkKey(List<Attempt> grants) {
        List<Attempt> byBeginning = sorted(grants, Attempt::wasHeldForLong, Comparator.comparing(Attempt::heldBy));
        List<Attempt> witnesses = sorted(grants, Attempt::wasHeld, Comparator.comparing(ExclusionCheck::from));
        List<Attempt> held = new ArrayList<>();
        int next = 0;
        for (Attempt witness : witnesses) {
            while (next < byBeginning.size() && byBeginning.get(next).heldBy() <= from(witness)) {
                held.add(byBeginning.get(next));
                next++;
            }
            held.removeIf(each -> each.heldStill() < from(witness));
            checkTogether(witness, held);
        }
    }

    private static List<Attempt> sorted(List<Attempt> grants, Predicate<Attempt> which, Comparator<Attempt> order) {
        return grants.stream().filter(which).sorted(order).toList();
    }

    /** From then on the handle may be held: known for the instant, unless it has only one true answer. */
    private static long from(Attempt witness) {
        return Math.min(witness.heldBy(), witness.heldStill());
    }

    /** @param held those that were certainly held at the beginning of the witness */
    private void checkTogether(Attempt witness, List<Attempt> held) {
        Set<String> sharing = new HashSet<>(Set.of(hold(witness)));
        List<Attempt> together = new ArrayList<>(List.of(witness));
        for (Attempt other : held) {
            if (other.isSameHold(witness) || other.heldStill() < witness.heldBy()) {
                continue;
            }
            if (witness.isExclusive() || other.isExclusive()) {
                violations.add(Violation.of(Promise.EXCLUSION, "held at the same time", other, witness));
            } else if (sharing.add(hold(other))) {
                together.add(other);
            }
        }
        if (!witness.isExclusive() && sharing.size() > witness.limit()) {
            violations.add(new Violation(Promise.EXCLUSION, "more than the limit at the same time", together));
        }
    }

    private static String hold(Attempt attempt) {
        return attempt.process() + "#" + attempt.hold();
    }
}
