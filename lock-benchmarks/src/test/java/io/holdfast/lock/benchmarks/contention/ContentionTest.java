package io.holdfast.lock.benchmarks.contention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.benchmarks.peer.Peer;
import io.holdfast.lock.benchmarks.report.Metric;
import io.holdfast.lock.testing.TestRedis;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ContentionTest {

    private static Message counted(long acquired) {
        return Message.of(Message.REPORT).with("acquired", acquired);
    }

    @Test
    void a_lost_count_is_two_holders() {
        List<Message> reports = List.of(counted(10), counted(20));

        assertThatCode(() -> Runs.checkExclusion(Peer.FLOOR, reports, 30)).doesNotThrowAnyException();
        assertThatThrownBy(() -> Runs.checkExclusion(Peer.FLOOR, reports, 29))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("two holders");
    }

    @Test
    void a_lost_lock_is_told() {
        assertThatCode(() -> Runs.checkLost(Peer.HOLDFAST, 0)).doesNotThrowAnyException();
        assertThatThrownBy(() -> Runs.checkLost(Peer.HOLDFAST, 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("lost 1");
    }

    @Test
    void processes_contend_for_one_key() {
        Map<Metric, Double> figures = contend(200);
        for (int measured = 400; figures.get(Metric.PAIRS) == 0 && measured < 60_000; measured *= 2) {
            figures = contend(measured); // the machine stood still
        }

        assertThat(figures.get(Metric.PAIRS)).isPositive();
        assertThat(figures.get(Metric.JAIN)).isBetween(0.25, 1.0);
    }

    private static Map<Metric, Double> contend(int measuredMillis) {
        return Runs.contend(
                Peer.FLOOR, TestRedis.shared().port(), Load.processes(2, 2), new Window(50, 50, measuredMillis));
    }

    @Test
    void messages_survive_the_way_between_processes() {
        Message message = Message.of("CONTEND").with("threads", 4).with("waits", "abc==");

        assertThat(Message.parse(message.line())).isEqualTo(message);
    }
}
