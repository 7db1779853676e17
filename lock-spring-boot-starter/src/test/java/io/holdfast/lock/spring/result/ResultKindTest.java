package io.holdfast.lock.spring.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.spring.LockConfigurationException;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.ReflectionUtils;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import reactor.core.publisher.Mono;

/** Which results end the lock with the method, which later, and which cannot be locked. */
class ResultKindTest {

    interface OwnCommand extends Callable<String> {}

    /** Returned by name only. */
    abstract static class Forms {
        abstract String value();

        abstract Optional<String> optional();

        abstract Object object();

        abstract CompletableFuture<String> future();

        abstract Mono<String> mono();

        abstract ScheduledFuture<String> scheduled();

        abstract Callable<String> callable();

        abstract OwnCommand ownCommand();

        abstract DeferredResult<String> deferred();

        abstract SseEmitter emitter();
    }

    private static ResultKind kind(String method) {
        return ResultKind.of(
                ReflectionUtils.findMethod(Forms.class, method), Forms.class, "@DistributedLock method it()");
    }

    @ParameterizedTest
    @ValueSource(strings = {"value", "ownCommand", "optional", "object"})
    void value_ends_the_lock_with_the_method(String method) {
        assertThat(kind(method)).isEqualTo(ResultKind.VALUE);
    }

    @Test
    void future_and_publisher_end_it_when_they_are_complete() {
        assertThat(kind("future")).isEqualTo(ResultKind.STAGE);
        assertThat(kind("mono")).isEqualTo(ResultKind.PUBLISHER);
    }

    @ParameterizedTest
    @ValueSource(strings = {"scheduled", "callable", "deferred", "emitter"})
    void work_that_nobody_can_follow_is_refused(String method) {
        assertThatThrownBy(() -> kind(method))
                .isInstanceOf(LockConfigurationException.class)
                .hasMessageContaining("the lock would be released before the work is done");
    }

    @Test
    void work_behind_a_wider_type_is_refused_when_it_is_returned() {
        for (Object each : new Object[] {new CompletableFuture<>(), Mono.just(1)}) {
            assertThatThrownBy(() -> ResultKind.requireValue(each, "Jobs.run"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContainingAll("Jobs.run", "Declare that type as the return type");
        }
        assertThat(ResultKind.requireValue("done", "Jobs.run")).isEqualTo("done");
        assertThat(ResultKind.requireValue(null, "Jobs.run")).isNull();
    }
}
