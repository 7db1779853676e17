package example.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedClass;

import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.store.AcquireReply;
import io.holdfast.lock.store.AcquireRequest;
import io.holdfast.lock.store.EntryReply;
import io.holdfast.lock.store.EntryRequest;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.ReleaseReply;
import io.holdfast.lock.store.ReleaseRequest;
import io.holdfast.lock.testing.FakeTicker;
import io.holdfast.lock.testing.contract.HolderContract;
import io.holdfast.lock.testing.contract.LockStoreContract;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The contract finds stores that break it. */
class BrokenStoresTest {

    /** Only run from here: the build looks for no tests in nested classes. */
    private abstract static class Broken extends LockStoreContract {

        private final FakeTicker time = new FakeTicker();
        private final LockStore store;

        Broken(Function<FakeTicker, LockStore> store) {
            this.store = store.apply(time);
        }

        @Override
        public LockStore store() {
            return store;
        }

        @Override
        public void pass(LockKey key, Duration passed) {
            time.pass(passed);
        }
    }

    static class SameTokens extends Broken {
        SameTokens() {
            super(time -> new TinyLockStore(time) {
                @Override
                public AcquireReply acquire(AcquireRequest request) {
                    AcquireReply reply = super.acquire(request);
                    return reply instanceof AcquireReply.Granted granted
                            ? new AcquireReply.Granted(1, granted.tokens(), granted.waiters(), granted.resent())
                            : reply;
                }
            });
        }
    }

    static class ReleasesForAnybody extends Broken {
        ReleasesForAnybody() {
            super(time -> new TinyLockStore(time) {
                @Override
                public ReleaseReply release(ReleaseRequest request) {
                    super.release(request);
                    forceRelease(request.key());
                    return ReleaseReply.RELEASED;
                }
            });
        }
    }

    static class KeepsNoEntries extends Broken {
        KeepsNoEntries() {
            super(time -> new TinyLockStore(time) {
                @Override
                public List<EntryReply> keepEntries(List<EntryRequest> requests) {
                    return super.keepEntries(requests.stream()
                            .map(request -> new EntryRequest(request.key(), List.of(), Map.of()))
                            .toList());
                }
            });
        }
    }

    /** {@return the tests that fail} */
    private static List<String> failuresOf(Class<? extends LockStoreContract> contract, Class<?> base, String part) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectNestedClass(List.of(contract.getName()), base.getName() + "$" + part))
                                .build(),
                        listener);
        TestExecutionSummary summary = listener.getSummary();
        assertThat(summary.getTestsSucceededCount()).isPositive();
        return summary.getFailures().stream()
                .map(failure -> failure.getTestIdentifier().getUniqueId())
                .toList();
    }

    @Test
    void tokens_that_do_not_increase_are_found() {
        assertThat(failuresOf(SameTokens.class, HolderContract.class, "Tokens")).isNotEmpty();
    }

    @Test
    void release_by_a_stranger_is_found() {
        assertThat(failuresOf(ReleasesForAnybody.class, HolderContract.class, "Holding"))
                .anyMatch(failure -> failure.contains("release_by_a_stranger_changes_nothing"));
    }

    @Test
    void entries_that_are_not_kept_are_found() {
        assertThat(failuresOf(KeepsNoEntries.class, LockStoreContract.class, "Queue"))
                .isNotEmpty();
    }
}
