package io.holdfast.lock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.annotation.LeaderOnly;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Where the annotation of a proxy may stand, which has nothing but interfaces. */
class GuardedMethodsTest {

    interface Feed {
        void publish();
    }

    interface GuardedFeed {
        @LeaderOnly("feed")
        void publish();
    }

    @LeaderOnly("jobs")
    interface Jobs {}

    private final GuardedMethods methods = new GuardedMethods(new DefaultListableBeanFactory());

    private static Class<?> proxy(Class<?>... interfaces) {
        return Proxy.newProxyInstance(
                        GuardedMethodsTest.class.getClassLoader(), interfaces, (proxy, method, arguments) -> null)
                .getClass();
    }

    private static Method publish() throws NoSuchMethodException {
        return Feed.class.getMethod("publish");
    }

    @Test
    void annotation_of_any_interface_guards_the_method() throws NoSuchMethodException {
        assertThat(methods.find(publish(), proxy(Feed.class, Jobs.class)))
                .extracting(GuardedMethods.Guarded::role)
                .isEqualTo("jobs");
        assertThat(methods.find(publish(), proxy(Feed.class, GuardedFeed.class)))
                .extracting(GuardedMethods.Guarded::role)
                .isEqualTo("feed");
        assertThat(methods.find(publish(), proxy(Feed.class))).isNull();
    }
}
