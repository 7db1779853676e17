package io.holdfast.lock.engine;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What locks are meant to do, in the simplest words: no concurrency, no network, one clock. */
final class LockModel {

    static final int NOBODY = -1;

    /** One grant. */
    static final class Grant {
        final String key;
        final int thread;
        final long token;
        long deadline;
        boolean revoked;
        boolean lost;
        int open;
        int attached;

        Grant(String key, int thread, long token, long deadline) {
            this.key = key;
            this.thread = thread;
            this.token = token;
            this.deadline = deadline;
        }
    }

    /** One handle of a grant. */
    static final class Opened {
        final Grant grant;
        boolean attached = true;
        boolean closed;

        Opened(Grant grant) {
            this.grant = grant;
        }

        boolean held() {
            return !closed && grant.open > 0 && !grant.lost;
        }
    }

    final Map<String, Grant> holders = new HashMap<>();
    final Map<String, Long> lastFencingTokens = new HashMap<>();
    final List<Opened> handles = new ArrayList<>();
    long now;

    /** The grant that the thread would reenter, lost or not. */
    @Nullable
    Grant ownGrant(String key, int thread) {
        return handles.stream()
                .filter(handle -> !handle.closed && handle.attached)
                .map(handle -> handle.grant)
                .filter(grant -> grant.key.equals(key) && grant.thread == thread)
                .reduce((first, second) -> second)
                .orElse(null);
    }

    boolean isFree(String key) {
        return !holders.containsKey(key);
    }

    Opened granted(String key, int thread, long token, long lease) {
        Grant grant = new Grant(key, thread, token, now + lease);
        holders.put(key, grant);
        lastFencingTokens.put(key, token);
        return entered(grant);
    }

    Opened entered(Grant grant) {
        grant.open++;
        grant.attached++;
        Opened handle = new Opened(grant);
        handles.add(handle);
        return handle;
    }

    void detached(Opened handle) {
        if (handle.attached) {
            handle.attached = false;
            handle.grant.attached--;
        }
    }

    /** Returns whether closing reports a loss. */
    boolean closed(Opened handle) {
        Grant grant = handle.grant;
        handle.closed = true;
        grant.open--;
        if (handle.attached) {
            grant.attached--;
        }
        if (grant.open > 0) {
            return grant.lost;
        }
        if (!grant.revoked && !grant.lost) {
            holders.remove(grant.key);
        }
        return grant.lost || grant.revoked;
    }

    /** The client that did it knows at once; others find out. */
    void forced(String key, Predicate<Grant> ofThatClient) {
        Grant grant = holders.remove(key);
        if (grant != null) {
            grant.revoked = true;
        }
        open().stream()
                .map(handle -> handle.grant)
                .filter(each -> each.key.equals(key) && ofThatClient.test(each))
                .forEach(each -> each.lost = true);
    }

    void passed(long time) {
        now += time;
        holders.values().removeIf(grant -> grant.deadline <= now);
        for (Opened handle : handles) {
            if (!handle.closed && handle.grant.deadline <= now) {
                handle.grant.lost = true;
            }
        }
    }

    List<Opened> open() {
        return handles.stream().filter(handle -> !handle.closed).toList();
    }
}
