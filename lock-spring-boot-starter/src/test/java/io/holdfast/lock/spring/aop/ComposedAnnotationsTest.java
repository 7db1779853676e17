package io.holdfast.lock.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockMode;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedReadLock;
import io.holdfast.lock.spring.annotation.DistributedSemaphore;
import io.holdfast.lock.spring.annotation.DistributedWriteLock;
import io.holdfast.lock.spring.annotation.OnContention;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.annotation.AliasFor;

/** Annotations that say how a lock is shared. */
class ComposedAnnotationsTest {

    private static final Set<String> OF_THEIR_OWN = Set.of("mode", "limit", "permits");

    static class Catalogue {

        @DistributedReadLock(name = "catalogue", key = "#id", waitFor = 0)
        public String read(long id) {
            return "read " + id;
        }

        @DistributedWriteLock(name = "catalogue", key = "#id", waitForString = "0s", onContention = OnContention.SKIP)
        public String write(long id) {
            return "written " + id;
        }

        @DistributedSemaphore(name = "mail", permits = 2, waitFor = 0)
        public String mail() {
            return "sent";
        }
    }

    static class NoPermits {
        @DistributedSemaphore(name = "mail", permits = 0)
        public void mail() {}
    }

    private static void withCatalogue(java.util.function.BiConsumer<Catalogue, LockTemplate> test) {
        Runners.inMemory()
                .withBean(Catalogue.class)
                .run(context -> test.accept(context.getBean(Catalogue.class), context.getBean(LockTemplate.class)));
    }

    /** Elsewhere, so that this thread does not enter again. */
    private static AutoCloseable held(LockTemplate locks, LockRequest request) {
        return locks.acquire(request).detach();
    }

    @Test
    void readers_are_together_and_writers_alone() {
        withCatalogue((catalogue, locks) -> {
            LockRequest reading = LockRequest.of("catalogue:7").shared();
            try (AutoCloseable reader = held(locks, reading)) {
                assertThat(reader).isNotNull();
                assertThat(catalogue.read(7)).isEqualTo("read 7");
                assertThat(catalogue.write(7)).isNull();
                assertThat(catalogue.write(8)).isEqualTo("written 8");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            try (AutoCloseable writer = held(locks, LockRequest.of("catalogue:7"))) {
                assertThat(writer).isNotNull();
                assertThatThrownBy(() -> catalogue.read(7)).isInstanceOf(LockNotAcquiredException.class);
                assertThat(catalogue.write(7)).isNull();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            assertThat(catalogue.write(7)).isEqualTo("written 7");
        });
    }

    @Test
    void no_more_than_the_permits_are_given() {
        withCatalogue((catalogue, locks) -> {
            LockRequest permit = LockRequest.of("mail").shared(2);
            try (AutoCloseable one = held(locks, permit)) {
                assertThat(one).isNotNull();
                assertThat(catalogue.mail()).isEqualTo("sent");
                try (AutoCloseable two = held(locks, permit)) {
                    assertThat(two).isNotNull();
                    assertThatThrownBy(catalogue::mail).isInstanceOf(LockNotAcquiredException.class);
                }
                assertThat(catalogue.mail()).isEqualTo("sent");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void no_permit_at_all_fails_the_start() {
        Runners.inMemory()
                .withBean(NoPermits.class)
                .run(context -> assertThat(Startup.failureOf(context)).contains("limit = 0"));
    }

    /** So that none lags behind when the annotation gets another attribute. */
    @ParameterizedTest
    @ValueSource(classes = {DistributedReadLock.class, DistributedWriteLock.class, DistributedSemaphore.class})
    void every_attribute_is_handed_on(Class<? extends Annotation> composed) throws Exception {
        Set<String> all = attributes(DistributedLock.class);
        all.removeAll(Set.of("minHold", "minHoldString", "renew", "onLost", "timeUnit"));
        assertThat(attributes(composed)).isEqualTo(all);
        for (String name : attributes(composed)) {
            Method method = composed.getDeclaredMethod(name);
            Method original = DistributedLock.class.getDeclaredMethod(name);
            assertThat(method.getReturnType()).isEqualTo(original.getReturnType());
            assertThat(method.getDefaultValue()).isEqualTo(original.getDefaultValue());
            assertThat(method.getAnnotation(AliasFor.class).annotation()).isEqualTo(DistributedLock.class);
        }
    }

    private static Set<String> attributes(Class<? extends Annotation> type) {
        return Arrays.stream(type.getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> !OF_THEIR_OWN.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void modes_are_what_the_names_say() {
        assertThat(List.of(DistributedReadLock.class, DistributedWriteLock.class, DistributedSemaphore.class))
                .extracting(each -> each.getAnnotation(DistributedLock.class).mode())
                .containsExactly(LockMode.SHARED, LockMode.EXCLUSIVE, LockMode.SHARED);
    }
}
