package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LuaEquivalentsTest {

    @Test
    void lines_that_are_named_are_still_in_the_scripts() {
        assertThat(LuaEquivalents.read().strangers(LuaMutants.all())).isEmpty();
    }
}
