package org.springframework.samples;

import io.holdfast.lock.spring.annotation.DistributedLock;

/** An application in a package of Spring's. */
public class Clinic {

    @DistributedLock(name = "clinic")
    public void visit() {}
}
