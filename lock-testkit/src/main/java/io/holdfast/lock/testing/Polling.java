package io.holdfast.lock.testing;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import redis.clients.jedis.exceptions.JedisException;

/** Waits for state changes that servers make asynchronously; a server that does not reply in the meantime is queried again. */
final class Polling {

    private Polling() {}

    static void await(String what, Callable<Boolean> condition) {
        patiently(what).until(condition);
    }

    static <T> T await(String what, Callable<T> question, Predicate<T> answer) {
        return patiently(what).until(question, answer);
    }

    /** For operations that servers may give up without notice: the request is repeated until the condition holds. */
    static void await(String what, Duration again, Runnable request, Callable<Boolean> condition) {
        AtomicLong next = new AtomicLong(System.nanoTime());
        patiently(what).atMost(5, TimeUnit.MINUTES).until(() -> {
            if (System.nanoTime() - next.get() >= 0) {
                request.run();
                next.set(System.nanoTime() + again.toNanos());
            }
            return condition.call();
        });
    }

    private static ConditionFactory patiently(String what) {
        return Awaitility.await(what)
                .atMost(2, TimeUnit.MINUTES)
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(20))
                .ignoreExceptionsInstanceOf(JedisException.class);
    }
}
