package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.testing.HeardLog;
import jakarta.annotation.PostConstruct;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.Scheduled;

/** An annotation of a class covers its public methods; others that beans can call are warned of. */
class UncoveredMethodsTest {

    private static List<String> warnings(Class<?>... beans) {
        try (HeardLog log = new HeardLog(AnnotatedPointcut.class.getName(), Level.WARN)) {
            var runner = Runners.inMemory();
            for (int i = 0; i < beans.length; i++) {
                runner = runner.withBean("bean" + i, beans[i]);
            }
            runner.run(context -> assertThat(context).hasNotFailed());
            return log.events().stream().map(ILoggingEvent::getFormattedMessage).toList();
        }
    }

    abstract static class Base {
        protected void hook() {}
    }

    @SuppressWarnings("UnusedMethod")
    @DistributedLock(name = "jobs", fallbackMethod = "${app.fallback:instead}")
    static class Jobs extends Base {

        public void locked() {
            helper();
        }

        @Scheduled(fixedDelay = 1_000_000)
        void nightly() {}

        protected void forSubclasses(String id) {}

        @DistributedLock(name = "own")
        void own() {}

        void instead() {}

        @Override
        protected void hook() {}

        @PostConstruct
        void init() {}

        static void ofClass() {}

        private void helper() {}
    }

    static class OfMethod {
        @DistributedLock(name = "of-method")
        public void locked() {}

        void other() {}
    }

    interface Contract {
        @DistributedLock(name = "contract")
        void run();
    }

    static class OfInterface implements Contract {
        @Override
        public void run() {}

        void helper() {}
    }

    @DistributedLock(name = "above")
    abstract static class Above {
        public void locked() {}
    }

    static class Below extends Above {
        void below() {}
    }

    @LeaderOnly("outbox")
    static class Leading {
        public void publish() {}

        void later() {}
    }

    @Test
    void methods_that_are_not_public_are_warned_of_once() {
        assertThat(warnings(Jobs.class))
                .containsExactly("@DistributedLock on " + Jobs.class.getName()
                        + " applies to public methods only, so it has no effect on forSubclasses(String), nightly(). Make"
                        + " these methods public, or annotate them.");
    }

    @Test
    void class_of_several_beans_is_warned_of_once() {
        assertThat(warnings(Jobs.class, Jobs.class)).hasSize(1);
    }

    @Test
    void annotation_of_a_superclass_counts() {
        assertThat(warnings(Below.class))
                .containsExactly("@DistributedLock on " + Below.class.getName()
                        + " applies to public methods only, so it has no effect on below(). Make these methods public, or"
                        + " annotate them.");
    }

    @Test
    void methods_that_would_run_on_every_instance_are_warned_of() {
        assertThat(warnings(Leading.class))
                .containsExactly("@LeaderOnly on " + Leading.class.getName()
                        + " applies to public methods only, so it has no effect on later(). Make these methods public, or"
                        + " annotate them.");
    }

    @Test
    void class_without_an_annotation_is_not() {
        assertThat(warnings(OfMethod.class, OfInterface.class)).isEmpty();
    }
}
