package io.holdfast.lock.redis;

import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.store.AcquireAllReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.LockStore.Pending;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Several locks of one caller in one script. That needs one server: on a cluster the keys are in several slots, which no script
 * can look at together.
 */
final class MultiLockCalls {

    /** At 10 to 20 µs each, Redis is blocked for 2 to 4 ms. */
    static final int MOST_PER_CALL = 200;

    private final ScriptClient client;
    private final ScriptEncoder encoder;
    private final boolean acquires;

    /** @param acquires whether a grant takes no more than the script: no acknowledgements, and no look at when the server joined */
    MultiLockCalls(ScriptClient client, ScriptEncoder encoder, boolean acquires) {
        this.client = client;
        this.encoder = encoder;
        this.acquires = acquires;
    }

    AcquireAllReply acquire(List<AcquireRequest> requests) {
        if (!acquires || !client.isOneServer() || requests.isEmpty() || requests.size() > MOST_PER_CALL) {
            return new AcquireAllReply.OneByOne();
        }
        ScriptClient.Reply reply = client.run(encoder.acquireAll(requests));
        return ScriptDecoder.acquireAll(reply.text(), requests.size(), !reply.firstSend());
    }

    /** After a failure of the server, the rest is not sent. */
    List<Pending<ReleaseReply>> release(List<ReleaseRequest> requests) {
        List<Pending<ReleaseReply>> replies = new ArrayList<>(requests.size());
        for (int from = 0; from < requests.size(); from += MOST_PER_CALL) {
            List<ReleaseRequest> part = requests.subList(from, Math.min(from + MOST_PER_CALL, requests.size()));
            try {
                replies.addAll(releaseTogether(part));
            } catch (LockStoreException e) {
                replies.addAll(Collections.nCopies(requests.size() - from, () -> {
                    throw e;
                }));
                return replies;
            }
        }
        return replies;
    }

    private List<Pending<ReleaseReply>> releaseTogether(List<ReleaseRequest> requests) {
        ScriptClient.Reply reply = client.run(encoder.releaseAll(requests));
        List<String> outcomes = ScriptDecoder.releaseAll(reply.text(), requests.size());
        List<Pending<ReleaseReply>> replies = new ArrayList<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            ReleaseRequest request = requests.get(i);
            String outcome = outcomes.get(i);
            replies.add(() -> released(request, outcome, reply.firstSend()));
        }
        return replies;
    }

    private static ReleaseReply released(ReleaseRequest request, String outcome, boolean firstSend) {
        return switch (outcome) {
            case "" -> ReleaseReply.RELEASED;
            case "NOT_HOLDER" -> firstSend ? ReleaseReply.NOT_HOLDER : ReleaseReply.GONE;
            default ->
                throw new LockStoreException(
                        "Lock '" + request.key() + "' could not be released: " + outcome, null, false);
        };
    }
}
