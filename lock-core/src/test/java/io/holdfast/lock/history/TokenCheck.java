package io.holdfast.lock.history;

import io.holdfast.lock.history.Violation.Promise;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Finds grants of one key whose tokens are certainly in the wrong order.
 *
 * <p>When a lock was granted is not recorded, but it was during the call that acquired it. So the order of two grants is
 * known
 *
 * <ul>
 *   <li><b>by their calls</b>, if one had returned before the other was invoked;
 *   <li><b>by their holders</b>, if one of them is exclusive, so that their holds exclude each other, and one was held before
 *       the other was ({@link Attempt#wasHeldBefore}): then the first hold was over when the second one was granted. This
 *       shows the order also of those that waited for each other. It needs exclusion, so a pair for which both orders can be
 *       shown, which is a violation of that, is left out.
 * </ul>
 *
 * A token is never granted twice; a reentry has that of its hold.
 */
final class TokenCheck {

    private final List<Violation> violations = new ArrayList<>();

    private TokenCheck() {}

    static List<Violation> violations(History history) {
        TokenCheck check = new TokenCheck();
        history.grantsByKey().values().forEach(grants -> {
            List<Attempt> first =
                    grants.stream().filter(each -> !each.isReentry()).toList();
            check.checkReentries(grants);
            check.checkRepetition(first);
            check.checkCalls(first);
            check.checkHolders(first);
        });
        return check.violations;
    }

    private void checkReentries(List<Attempt> grants) {
        Map<List<Object>, Attempt> first = new HashMap<>();
        grants.stream().filter(each -> !each.isReentry()).forEach(each -> first.put(hold(each), each));
        for (Attempt reentry : grants) {
            Attempt entered = reentry.isReentry() ? first.get(hold(reentry)) : null;
            if (entered != null && entered.token() != reentry.token()) {
                add("another token at reentry", entered, reentry);
            }
        }
    }

    private static List<Object> hold(Attempt attempt) {
        return List.of(attempt.process(), attempt.hold());
    }

    private void checkRepetition(List<Attempt> grants) {
        List<Attempt> byToken = sorted(grants, Attempt::token);
        for (int i = 1; i < byToken.size(); i++) {
            if (byToken.get(i - 1).token() == byToken.get(i).token()) {
                add("the same token", byToken.get(i - 1), byToken.get(i));
            }
        }
    }

    private void checkCalls(List<Attempt> grants) {
        checkOrder(
                sorted(grants, Attempt::returned),
                sorted(grants, Attempt::invoked),
                (former, latter) -> former.returned() <= latter.invoked(),
                (former, latter) -> true);
    }

    private void checkHolders(List<Attempt> grants) {
        List<Attempt> held = grants.stream().filter(Attempt::wasHeld).toList();
        List<Attempt> exclusive = held.stream().filter(Attempt::isExclusive).toList();
        checkHolders(held, exclusive);
        checkHolders(
                exclusive, held.stream().filter(each -> !each.isExclusive()).toList());
    }

    private void checkHolders(List<Attempt> formers, List<Attempt> latters) {
        checkOrder(
                sorted(formers, Attempt::heldBy),
                sorted(latters, Attempt::heldStill),
                Attempt::wasHeldBefore,
                (former, latter) -> !latter.wasHeldBefore(former));
    }

    /**
     * Every latter one needs a greater token than all that came before it.
     *
     * @param formers in such an order that those that came before any latter one come first
     * @param latters in such an order that what came before one of them came before the next ones too
     * @param before whether the first came before the second
     * @param counts whether a pair says anything about tokens
     */
    private void checkOrder(
            List<Attempt> formers,
            List<Attempt> latters,
            BiPredicate<Attempt, Attempt> before,
            BiPredicate<Attempt, Attempt> counts) {
        Attempt greatest = null;
        int come = 0;
        for (Attempt latter : latters) {
            while (come < formers.size() && before.test(formers.get(come), latter)) {
                greatest = greater(greatest, formers.get(come));
                come++;
            }
            if (greatest != null && greatest != latter && greatest.token() >= latter.token()) {
                witness(formers.subList(0, come), latter, counts)
                        .ifPresent(former -> add("a token that is not greater than an earlier one", former, latter));
            }
        }
    }

    private static Attempt greater(@Nullable Attempt one, Attempt other) {
        return one == null || other.token() > one.token() ? other : one;
    }

    /** Looked for only where the greatest token of all that came before is too great. */
    private static Optional<Attempt> witness(
            List<Attempt> formers, Attempt latter, BiPredicate<Attempt, Attempt> counts) {
        Predicate<Attempt> wrong =
                former -> former != latter && former.token() >= latter.token() && counts.test(former, latter);
        return formers.stream().filter(wrong).findFirst();
    }

    private static List<Attempt> sorted(List<Attempt> grants, ToLongFunction<Attempt> time) {
        return grants.stream().sorted(Comparator.comparingLong(time)).toList();
    }

    private void add(String what, Attempt... witnesses) {
        violations.add(Violation.of(Promise.TOKENS, what, witnesses));
    }
}
