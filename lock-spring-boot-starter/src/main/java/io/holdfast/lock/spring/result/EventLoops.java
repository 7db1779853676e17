package io.holdfast.lock.spring.result;

import java.util.Set;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/** Knows the threads that must not wait: those that Reactor says so of, and Netty's, with Reactor or without. */
final class EventLoops {

    private static final Set<String> NETTY_THREAD = Set.of("io.netty.util.concurrent.FastThreadLocalThread");
    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.scheduler.Schedulers", EventLoops.class.getClassLoader());

    private EventLoops() {}

    static boolean isCurrentThreadOne() {
        return NamedTypes.isA(Thread.currentThread().getClass(), NETTY_THREAD)
                || (REACTOR && Schedulers.isInNonBlockingThread());
    }
}
