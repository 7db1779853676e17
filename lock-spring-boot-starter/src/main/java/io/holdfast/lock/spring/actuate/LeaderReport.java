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

    private List<Leadership> known() {
        LeaderRoles found = roles.get();
        return found == null ? List.of() : found.known();
    }

    /** Asks the store for each role. */
    List<Leader> all() {
        return known().stream().map(LeaderReport::describe).toList();
    }

    private static Leader describe(Leadership leadership) {
        Optional<Term> term = leadership.term();
        return new Leader(
                leadership.role(),
                term.isPresent(),
                term.map(Term::fencingToken).orElse(null),
                term.map(each -> each.since().toString()).orElse(null),
                host(leadership));
    }

    private static @Nullable String host(Leadership leadership) {
        try {
            return leadership.leader().map(LockHolder::host).orElse(null);
        } catch (LockStoreException unknown) {
            return null;
        }
    }

    /** Does not ask the store. */
    Map<String, Map<String, Object>> summary() {
        Map<String, Map<String, Object>> summary = new LinkedHashMap<>();
        for (Leadership each : known()) {
            Optional<Term> term = each.term();
            Map<String, Object> details = new LinkedHashMap<>();
            details.put("leader", term.isPresent());
            term.ifPresent(current -> details.put("token", current.fencingToken()));
            summary.put(each.role(), details);
        }
        return summary;
    }
}
