package io.holdfast.lock.spring.result;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import reactor.core.scheduler.Schedulers;

/** Knows the threads that must not wait: those that Reactor says so of, and Netty's, with Reactor or without. */
final class EventLoops {

    private static final String NETTY_THREAD = "io.netty.util.concurrent.FastThreadLocalThread";
    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.scheduler.Schedulers", EventLoops.class.getClassLoader());

    private EventLoops() {}

    static boolean isCurrentThreadOne() {
        return isOfNetty(Thread.currentThread().getClass()) || (REACTOR && Schedulers.isInNonBlockingThread());
    }

    private static boolean isOfNetty(@Nullable Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (each.getName().equals(NETTY_THREAD)) {
                return true;
            }
        }
        return false;
    }
}
