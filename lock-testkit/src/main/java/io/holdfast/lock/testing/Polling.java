package io.holdfast.lock.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import redis.clients.jedis.exceptions.JedisException;

/** Waits for what servers do by themselves; one that does not answer meanwhile is asked again. */
final class Polling {

    private Polling() {}

    static void await(String what, Callable<Boolean> condition) {
        patiently(what).until(condition);
    }

    static <T> T await(String what, Callable<T> question, Predicate<T> answer) {
        return patiently(what).until(question, answer);
    }

    /** For what may take its time. */
    static void await(String what, Duration atMost, Callable<Boolean> condition) {
        patiently(what).atMost(atMost).until(condition);
    }

    private static ConditionFactory patiently(String what) {
        return Awaitility.await(what)
                .atMost(2, TimeUnit.MINUTES)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .ignoreExceptionsInstanceOf(JedisException.class);
    }
}
