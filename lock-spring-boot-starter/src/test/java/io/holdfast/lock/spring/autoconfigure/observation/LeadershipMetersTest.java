package io.holdfast.lock.spring.autoconfigure.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.leader.Term;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LeadershipMetersTest {

    @Test
    void term_has_its_length_although_the_clock_of_the_machine_was_set_back() {
        MockClock clock = new MockClock();
        SimpleMeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
        List<Consumer<Term>> elected = new ArrayList<>();
        List<Consumer<Term>> revoked = new ArrayList<>();
        Leadership leadership = mock();
        when(leadership.role()).thenReturn("reports");
        doAnswer(call -> elected.add(call.getArgument(0))).when(leadership).onElected(any());
        doAnswer(call -> revoked.add(call.getArgument(0))).when(leadership).onRevoked(any());
        new LeadershipMeters(registry).joined(leadership);
        Term term = new Term("reports", 1, Instant.now().plusSeconds(3600));

        clock.add(Duration.ofSeconds(7));
        elected.forEach(each -> each.accept(term));
        clock.add(Duration.ofSeconds(5));
        revoked.forEach(each -> each.accept(term));

        assertThat(registry.get("holdfast.leadership.elections").counter().count())
                .isOne();
        assertThat(registry.get("holdfast.leadership.term").timer().totalTime(TimeUnit.SECONDS))
                .isEqualTo(5);
    }
}
