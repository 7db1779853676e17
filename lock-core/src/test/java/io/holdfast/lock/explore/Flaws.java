package io.holdfast.lock.explore;

import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.store.OwnerId;
import io.holdfast.lock.testing.Requests;
import java.util.List;

/** What a server with a defect does beside its work. */
final class Flaws {

    private Flaws() {}

    /** A server on which silent entries count as heard asks for them itself, before each call. */
    static void beforeCall(Setting setting, InMemoryLockStore store) {
        if (setting.has(Defect.SILENT_ENTRIES_COUNT_AS_ALIVE)) {
            List<OwnerId> silent = StoreView.of(store).queued();
            store.keepEntries(List.of(Requests.entries(World.KEY, silent)));
        }
    }
}
