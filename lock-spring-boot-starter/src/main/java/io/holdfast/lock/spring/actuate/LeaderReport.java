package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.leader.Term;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Leader;
import io.holdfast.lock.spring.leader.LeaderRoles;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The roles of this instance, as the endpoint and the health indicator report them. */
final class LeaderReport {

    private final Supplier<@Nullable LeaderRoles> roles;

    /** @param roles asked at the first request; yields null if there is no leadership */
    LeaderReport(Supplier<@Nullable LeaderRoles> roles) {
        this.roles = roles;
    }

    /** Asks the store for each role. */
    List<Leader> all() {
        LeaderRoles found = roles.get();
        return found == null
                ? List.of()
                : found.known().stream()
                        .map(each -> describe(each, found.isCandidate(each)))
                        .toList();
    }

    private static Leader describe(Leadership leadership, boolean candidate) {
        Optional<Term> term = leadership.term();
        Optional<LockHolder> leader = leader(leadership);
        return new Leader(
                leadership.role(),
                candidate,
                term.isPresent(),
                term.map(Term::fencingToken).orElse(null),
                term.map(each -> LocksDescriptors.text(each.since())).orElse(null),
                leader.map(LockHolder::host).orElse(null),
                leader.map(LockHolder::pid).orElse(null),
                leader.map(LockHolder::clientId).orElse(null));
    }

    private static Optional<LockHolder> leader(Leadership leadership) {
        try {
            return leadership.leader();
        } catch (LockStoreException unknown) {
            return Optional.empty();
        }
    }

    /** Does not ask the store. */
    Map<String, Map<String, Object>> summary() {
        Map<String, Map<String, Object>> summary = new LinkedHashMap<>();
        LeaderRoles found = roles.get();
        if (found != null) {
            found.known().forEach(each -> summary.put(each.role(), summary(each, found.isCandidate(each))));
        }
        return summary;
    }

    private static Map<String, Object> summary(Leadership leadership, boolean candidate) {
        Optional<Term> term = leadership.term();
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("candidate", candidate);
        details.put("leader", term.isPresent());
        term.ifPresent(current -> details.put("token", current.fencingToken()));
        return details;
    }
}
