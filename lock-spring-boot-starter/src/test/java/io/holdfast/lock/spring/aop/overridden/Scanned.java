package io.holdfast.lock.spring.aop.overridden;

import io.holdfast.lock.spring.annotation.DistributedLock;
import org.springframework.stereotype.Service;

/** Has another kind of bean definition than a bean that is declared. */
@Service
public class Scanned {

    @DistributedLock(key = "'scanned'")
    public String run() {
        return "ran";
    }
}
