package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.leader.Term;
import io.holdfast.lock.spring.actuate.LocksDescriptors.Leader;
import io.holdfast.lock.spring.leader.LeaderRoles;
import java.util.List;
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

    /** @param withLeaders whether to ask the store who leads */
    List<Leader> all(boolean withLeaders) {
        LeaderRoles found = roles.get();
        return found == null
                ? List.of()
                : found.known().stream()
                        .map(each ->
                                describe(each, found.isCandidate(each), withLeaders ? leader(each) : Optional.empty()))
                        .toList();
    }

    private static Leader describe(Leadership leadership, boolean candidate, Optional<LockHolder> leader) {
        Optional<Term> term = leadership.term();
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
}
