package io.holdfast.lock.spring.aop;

import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.spring.annotation.DistributedLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says of losses that do not end the call. */
final class Losses {

    private static final Logger log = LoggerFactory.getLogger(DistributedLock.class);

    private Losses() {}

    static void log(String caller, LockLostException loss) {
        log.warn("{} ended after its lock was lost; its result is used anyway: {}", caller, loss.getMessage());
    }
}
