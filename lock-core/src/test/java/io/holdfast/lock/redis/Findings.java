package io.holdfast.lock.redis;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What works on a server.
 *
 * @param working what works
 * @param warnings what health shows
 * @param logged what {@code io.holdfast.lock.redis} logged, at WARN or above
 * @param failure why there are no locks; empty if there are
 */
record Findings(Set<Ability> working, List<String> warnings, List<String> logged, String failure) {

    /** What an application notices if it is missing. */
    enum Ability {
        /** One client takes a lock, another waits for it; it is handed over, inspected, lost when its lease ends, and by force. */
        LOCKS("locks"),
        /** Waiters are subscribed to their messages. */
        SUBSCRIPTION("subscription"),
        /** Waiters are notified of grants; without it, they poll. */
        MESSAGES("messages to waiters"),
        /** All locks can be listed. */
        LIST("list of all locks"),
        /** Health knows the {@code maxmemory-policy}. */
        EVICTION_POLICY("eviction policy"),
        /** {@code WAIT} is available for {@code replica-acks}. Only dedicated connections have it. */
        REPLICA_ACKS("`WAIT` (`replica-acks`)");

        private final String text;

        Ability(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private static final Set<String> NEEDED = Set.of("eval", "evalsha", "info", "publish", "scan", "subscribe", "wait");

    /** Whether one of the abilities is missing without this command. */
    static boolean isNeeded(String command) {
        return NEEDED.contains(command);
    }

    /**
     * What works if a server does not permit some commands.
     *
     * @param permits whether a command may be called; those that are not needed for one of the abilities do not matter
     */
    static Set<Ability> expected(Predicate<String> permits, boolean dedicated) {
        if (!permits.test("eval") || !permits.test("evalsha")) {
            return Set.of();
        }
        Set<Ability> working = EnumSet.allOf(Ability.class);
        if (!permits.test("subscribe")) {
            working.removeAll(Set.of(Ability.SUBSCRIPTION, Ability.MESSAGES));
        }
        if (!permits.test("publish")) {
            working.remove(Ability.MESSAGES);
        }
        if (!permits.test("scan")) {
            working.remove(Ability.LIST);
        }
        if (!permits.test("info")) {
            working.remove(Ability.EVICTION_POLICY);
        }
        if (!permits.test("wait") || !dedicated) {
            working.remove(Ability.REPLICA_ACKS);
        }
        return working;
    }
}
