package io.holdfast.lock.memory;

import io.holdfast.lock.api.LockStatus;
import io.holdfast.lock.store.overview.StoreScan;
import java.util.List;
import java.util.function.Supplier;

/** Reads all locks in its only step. */
final class MemoryScan implements StoreScan {

    private final Supplier<List<LockStatus>> all;
    private List<LockStatus> found = List.of();

    MemoryScan(Supplier<List<LockStatus>> all) {
        this.all = all;
    }

    @Override
    public boolean step() {
        found = all.get();
        return false;
    }

    @Override
    public int size() {
        return found.size();
    }

    @Override
    public boolean isComplete() {
        return true;
    }

    @Override
    public List<LockStatus> found() {
        return found;
    }
}
