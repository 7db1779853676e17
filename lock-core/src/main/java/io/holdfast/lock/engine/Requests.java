package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockDefaults;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.engine.acquire.Call;
import io.holdfast.lock.engine.acquire.Caller;
import io.holdfast.lock.engine.hold.Terms;
import io.holdfast.lock.store.Ticker;
import io.holdfast.lock.waiting.Budget;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Turns callers' requests into calls.
 *
 * @param rule changes each request but its keys
 * @param masking whether keys are shown as hashes
 * @param defaults the options that a request does not set
 * @param ticker the clock of budgets
 */
record Requests(UnaryOperator<LockRequest> rule, boolean masking, LockDefaults defaults, Ticker ticker) {

    LockKey key(String text) {
        LockKey key = LockKey.of(text);
        return masking ? key.masked() : key;
    }

    LockRequest masked(LockRequest request) {
        return masking ? request.maskKeys() : request;
    }

    /**
     * One call for each key, in the order of the keys. Their budget begins now.
     *
     * @param defaultWait how long to wait if the request leaves that open
     * @param callerOf yields the caller, for whether it tries once only
     */
    List<Call> calls(LockRequest asked, Duration defaultWait, Function<Boolean, Caller> callerOf) {
        LockRequest request = changed(asked);
        Budget budget = Budget.of(ticker, request.waitFor().orElse(defaultWait).toNanos());
        Caller caller = callerOf.apply(budget.isOneTry());
        List<LockRequest> each = request.each();
        return each.size() == 1
                ? List.of(call(request, budget, caller))
                : each.stream().map(one -> call(one, budget, caller)).toList();
    }

    /** As the rule changes it. A rule that makes another request does not unmask its keys. */
    LockRequest changed(LockRequest asked) {
        return masked(rule.apply(masked(asked)));
    }

    private Call call(LockRequest request, Budget budget, Caller caller) {
        return new Call(request.key(), terms(request), budget, caller);
    }

    /** For the first of its keys. */
    Terms terms(LockRequest request) {
        return Terms.of(request, defaults);
    }
}
