package io.holdfast.lock.spring.aop.overridden;

import io.holdfast.lock.spring.annotation.DistributedLock;

/** Its method can be overridden in this package only. */
public class OtherPackage {

    @DistributedLock(key = "'x'")
    void run() {}
}
