package io.holdfast.lock.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.store.HolderInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LocksDescriptorsTest {

    @Test
    void holder_is_listed_with_the_id_of_its_trace_if_it_is_known() {
        HolderInfo here = new HolderInfo("shop-1", 1, "main");

        assertThat(LocksDescriptors.holders(Stream.of(
                                here.in("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"), here)
                        .map(each -> each.holding("client", Instant.EPOCH, Duration.ZERO, 1, LockMode.EXCLUSIVE, false))
                        .toList()))
                .extracting(LocksDescriptors.Holder::traceId)
                .isEqualTo(Arrays.asList("4bf92f3577b34da6a3ce929d0e0e4736", null));
    }
}
