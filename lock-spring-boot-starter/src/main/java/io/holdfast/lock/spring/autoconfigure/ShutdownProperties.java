package io.holdfast.lock.spring.autoconfigure;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What becomes of held locks when the application ends.
 *
 * @param await How long those who hold locks may go on when the application ends. Zero is not at all.
 */
@ConfigurationProperties("lock.shutdown")
record ShutdownProperties(@DefaultValue("20s") Duration await) {

    private static final Duration LONGEST = Duration.ofDays(1);

    /**
     * Checks the value.
     *
     * @throws InvalidLockPropertyException if it is out of range
     */
    ShutdownProperties {
        if (await.isNegative() || await.compareTo(LONGEST) > 0) {
            throw new InvalidLockPropertyException("lock.shutdown.await", await, "0 s to 1 day");
        }
    }
}
