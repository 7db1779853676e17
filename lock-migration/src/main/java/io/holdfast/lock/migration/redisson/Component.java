package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.code.Note;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.openrewrite.java.tree.Expression;

/**
 * Lock variables and factory calls that are connected by assignments. Either all of them are migrated, or, if one use has no
 * counterpart, none.
 */
final class Component {

    private static final Note LEASES =
            new Note("this lock is acquired with different leases", "redisson.md#try-wait-lease");

    private static final Note ELSEWHERE = new Note(
            "this lease or number of permits is not known where the lock is created", "redisson.md#try-wait-lease");

    private final Set<Note> obstacles = new LinkedHashSet<>();
    private final Set<Scope> created = new HashSet<>();
    private final Set<Scope> needed = new HashSet<>();
    private final Map<String, Lease> leases = new LinkedHashMap<>();
    private final Map<String, Expression> permits = new LinkedHashMap<>();

    void block(Note obstacle) {
        obstacles.add(obstacle);
    }

    /** Adds a way to acquire the lock. In Holdfast, a lease belongs to the lock, so all ways need the same one. */
    void acquire(Lease lease) {
        leases.put(lease.toString(), lease);
        if (leases.size() > 1) {
            block(LEASES);
        }
    }

    void createdIn(Scope scope) {
        created.add(scope);
    }

    /** What moves to where the lock is created has its meaning only in this scope. */
    void need(Scope scope) {
        needed.add(scope);
    }

    void checkScopes() {
        if (!needed.stream().allMatch(each -> created.stream().allMatch(each::contains))) {
            block(ELSEWHERE);
        }
    }

    void permits(Expression number) {
        permits.put(number.toString(), number);
    }

    Optional<Expression> permits() {
        return permits.size() == 1 ? permits.values().stream().findFirst() : Optional.empty();
    }

    Lease lease() {
        return leases.values().stream().findFirst().orElse(Lease.NONE);
    }

    /** One note is enough to make people look at the code. */
    Optional<Note> obstacle() {
        return obstacles.stream().findFirst();
    }

    boolean isTranslatable() {
        return obstacles.isEmpty();
    }

    void absorb(Component other) {
        obstacles.addAll(other.obstacles);
        other.leases.values().forEach(this::acquire);
        permits.putAll(other.permits);
        created.addAll(other.created);
        needed.addAll(other.needed);
    }
}
