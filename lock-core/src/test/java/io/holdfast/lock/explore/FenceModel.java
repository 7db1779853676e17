package io.holdfast.lock.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Holders of one lock, each later than the one before, which all believe that they hold it, and run transactions at {@code READ COMMITTED}:
 * each reads a row, and writes it depending on what it has read. Any of them may be stopped before any statement, and be rolled back
 * instead. A statement that finds a row locked waits, that is, it is not offered.
 *
 * <p>Holder <i>n</i> has token <i>n</i>. The fence is a statement that writes a guard row, or refuses if the committed row has a greater
 * token.
 */
final class FenceModel implements Model<FenceModel.State> {

    /** A statement, or the end of a transaction. */
    enum Statement {
        FENCE,
        READ,
        WRITE,
        COMMIT
    }

    private static final int ROLL_BACK = 100;
    private static final int NOBODY = -1;

    private final int holders;
    private final List<Statement> program;

    /**
     * @param holders how many holders there are
     * @param program what each of them does; ends with a commit, and may have several
     */
    FenceModel(int holders, Statement... program) {
        this.holders = holders;
        this.program = List.of(program);
    }

    /** The database, and how far each holder is. */
    static final class State {

        private final int[] at;
        /** The version that a holder has read. */
        private final int[] read;

        private int version;
        private int token = NOBODY;
        private int guardedBy = NOBODY;
        private int rowLockedBy = NOBODY;
        private @Nullable String broken;
        private String outcome = "";

        private State(int holders) {
            at = new int[holders];
            read = new int[holders];
        }

        private void end(int holder) {
            guardedBy = guardedBy == holder ? NOBODY : guardedBy;
            rowLockedBy = rowLockedBy == holder ? NOBODY : rowLockedBy;
        }
    }

    @Override
    public State initial() {
        return new State(holders);
    }

    @Override
    public State copy(State state) {
        State copy = initial();
        System.arraycopy(state.at, 0, copy.at, 0, holders);
        System.arraycopy(state.read, 0, copy.read, 0, holders);
        copy.version = state.version;
        copy.token = state.token;
        copy.guardedBy = state.guardedBy;
        copy.rowLockedBy = state.rowLockedBy;
        copy.broken = state.broken;
        return copy;
    }

    @Override
    public void steps(State state, IntConsumer offer) {
        for (int holder = 0; holder < holders; holder++) {
            if (state.at[holder] < program.size()) {
                boolean waits = switch (program.get(state.at[holder])) {
                    case FENCE -> isOther(state.guardedBy, holder);
                    case WRITE -> isOther(state.rowLockedBy, holder);
                    case READ, COMMIT -> false;
                };
                if (!waits) {
                    offer.accept(holder);
                }
                offer.accept(ROLL_BACK + holder);
            }
        }
    }

    private static boolean isOther(int lockedBy, int holder) {
        return lockedBy != NOBODY && lockedBy != holder;
    }

    @Override
    public void take(State state, int step) {
        int holder = step % ROLL_BACK;
        state.outcome = "";
        if (step >= ROLL_BACK) {
            giveUp(state, holder);
            return;
        }
        switch (program.get(state.at[holder]++)) {
            case FENCE -> {
                if (state.token > holder) {
                    state.outcome = ", which is refused";
                    giveUp(state, holder);
                } else {
                    state.guardedBy = holder;
                }
            }
            case READ -> state.read[holder] = state.version;
            case WRITE -> state.rowLockedBy = holder;
            case COMMIT -> commit(state, holder);
        }
    }

    private void giveUp(State state, int holder) {
        state.at[holder] = program.size();
        state.end(holder);
    }

    private static void commit(State state, int holder) {
        if (state.guardedBy == holder) {
            state.token = holder;
        }
        if (state.rowLockedBy == holder) {
            if (state.read[holder] != state.version) {
                state.broken = "An update is lost: holder " + holder + " has read version " + state.read[holder]
                        + ", and overwrites version " + state.version;
            }
            state.version++;
        }
        state.end(holder);
    }

    @Override
    public String describe(State state, int step) {
        int holder = step % ROLL_BACK;
        return "holder " + holder + ": " + (step >= ROLL_BACK ? "ROLLBACK" : program.get(state.at[holder]));
    }

    @Override
    public String outcome(State state) {
        return state.outcome;
    }

    @Override
    public long fingerprint(State state) {
        List<Integer> all = new ArrayList<>();
        Stream.of(state.at, state.read).forEach(each -> Arrays.stream(each).forEach(all::add));
        all.addAll(
                List.of(state.version, state.token, state.guardedBy, state.rowLockedBy, state.broken == null ? 0 : 1));
        long code = 0;
        for (int each : all) {
            code = code * 31 + each + 1; // exact for these few small numbers
        }
        return code;
    }

    @Override
    public @Nullable String violation(State state) {
        return state.broken;
    }
}
