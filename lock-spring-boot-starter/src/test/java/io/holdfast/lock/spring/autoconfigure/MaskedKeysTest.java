package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** One property has keys shown as hashes everywhere. */
class MaskedKeysTest {

    static class Users {
        @DistributedLock(name = "user", key = "#mail", waitFor = 0)
        public String register(String mail) {
            return LockContext.current().orElseThrow().toString();
        }
    }

    private final ApplicationContextRunner application = Runners.inMemory().withBean(Users.class);

    @Test
    void property_masks_keys() {
        application.withPropertyValues("holdfast.mask-keys=true").run(context -> {
            Users users = context.getBean(Users.class);
            assertThat(users.register("anna@example.com")).contains("sha256:").doesNotContain("anna");
            LockTemplate locks = context.getBean(LockTemplate.class);
            LockHandle held = locks.acquire("user:anna@example.com").detach();
            assertThatThrownBy(() -> users.register("anna@example.com"))
                    .isInstanceOf(LockNotAcquiredException.class)
                    .hasMessageContaining("sha256:")
                    .hasMessageNotContaining("anna");
            held.close();
        });
    }

    @Test
    void keys_are_shown_unless_told() {
        application.run(context -> assertThat(context.getBean(Users.class).register("anna@example.com"))
                .contains("user:anna@example.com"));
    }
}
