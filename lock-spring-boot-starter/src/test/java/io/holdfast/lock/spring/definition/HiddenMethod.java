package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.annotation.DistributedLock;

/** Has a locked method that a proxy of a subclass in another package cannot override. */
public abstract class HiddenMethod {

    @DistributedLock(name = "hidden")
    void run() {}
}
