package io.holdfast.lock.store;

import org.junit.jupiter.api.Nested;

/** What every {@link LockStore} must do for those who hold a lock, whether or not it keeps a queue of those who wait. */
public abstract class HolderContract implements ContractFixture.Subject {

    @Nested
    class Holding extends HoldingContract {
        Holding() {
            super(HolderContract.this);
        }
    }

    @Nested
    class Tokens extends TokenContract {
        Tokens() {
            super(HolderContract.this);
        }
    }

    @Nested
    class Sharing extends SharedContract {
        Sharing() {
            super(HolderContract.this);
        }
    }

    @Nested
    class Downgrades extends DowngradeContract {
        Downgrades() {
            super(HolderContract.this);
        }
    }

    @Nested
    class Joint extends JointContract {
        Joint() {
            super(HolderContract.this);
        }
    }
}
