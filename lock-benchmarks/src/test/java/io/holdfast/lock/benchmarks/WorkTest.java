package io.holdfast.lock.benchmarks;

import static io.holdfast.lock.benchmarks.peer.Peer.FLOOR;
import static io.holdfast.lock.benchmarks.peer.Peer.HOLDFAST;
import static io.holdfast.lock.benchmarks.peer.Peer.REDISSON;
import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.benchmarks.report.Row;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorkTest {

    private static final Row ROW = new Row("work", "Work", List.of(HOLDFAST, FLOOR, REDISSON), List.of());

    private static Work work(boolean optionalInEveryRound) {
        return new Work(ROW, List.of(FLOOR), optionalInEveryRound, (peer, site) -> Map.of());
    }

    @Test
    void each_round_begins_with_another_peer() {
        Variant full = Variant.named("full");

        assertThat(work(true).peers(full, 1)).containsExactly(HOLDFAST, FLOOR, REDISSON);
        assertThat(work(true).peers(full, 2)).containsExactly(FLOOR, REDISSON, HOLDFAST);
        assertThat(work(true).peers(full, 3)).containsExactly(REDISSON, HOLDFAST, FLOOR);
    }

    @Test
    void optional_peers_are_for_the_full_variant() {
        assertThat(work(true).peers(Variant.named("quick"), 1)).containsExactly(HOLDFAST, REDISSON);
        assertThat(work(false).peers(Variant.named("full"), 2)).containsExactly(REDISSON, HOLDFAST);
    }
}
