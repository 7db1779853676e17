package io.holdfast.lock.spring.aop;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.OnContention;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.springframework.core.annotation.AliasFor;

/** Annotated classes of all forms; each method runs the work that it is given. */
final class Annotated {

    private Annotated() {}

    record Order(Object id) {}

    enum Colour {
        RED {
            @Override
            public String toString() {
                return "a nice red";
            }
        }
    }

    static class Keys {

        @DistributedLock(key = "#order.id")
        public Object byProperty(Order order, Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(key = "#p0 + '-' + #a1")
        public Object byPosition(String first, int second, Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(name = "order", key = "#id")
        public Object named(Object id, Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(name = "only-name")
        public Object onlyName(Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(key = "'nightly'")
        public Object literal(Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(
                key = "#root.methodName + '/' + #root.args.length + '/' + #root.target.prefix + '/'"
                        + " + #root.targetClass.simpleName + '/' + #root.method.name")
        public Object byRoot(Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(key = "@naming.keyOf(#id)")
        public Object byBean(UUID id, Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(key = "#order.nmber")
        public Object unknownProperty(Object order, Callable<?> work) throws Exception {
            return work.call();
        }

        public String getPrefix() {
            return "prefix";
        }
    }

    static class Naming {
        int calls;

        public String keyOf(UUID id) {
            calls++;
            return "named-" + id;
        }
    }

    static class Contended {

        @DistributedLock(key = "'contended'", waitFor = 0)
        public String throwing() {
            return "ran";
        }

        @DistributedLock(key = "'contended'", waitFor = 0, onContention = OnContention.SKIP)
        public String skipping() {
            return "ran";
        }

        @DistributedLock(key = "'contended'", waitFor = 0, onContention = OnContention.SKIP)
        public Optional<String> skippingOptional() {
            return Optional.of("ran");
        }

        @DistributedLock(key = "'other'", onContention = OnContention.SKIP)
        public Object skippingWork(Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(key = "'contended'")
        public String waitingAsConfigured() {
            return "ran";
        }
    }

    @DistributedLock(key = "'of-class'")
    static class OfClass {

        public Object locked(Callable<?> work) throws Exception {
            return work.call();
        }

        Object notPublic(Callable<?> work) throws Exception {
            return work.call();
        }

        @DistributedLock(key = "'of-method'")
        public Object own(Callable<?> work) throws Exception {
            return work.call();
        }

        @Override
        public String toString() {
            throw new IllegalStateException("never called in these tests");
        }
    }

    interface Service {
        @DistributedLock(key = "'of-interface-' + #id")
        Object run(String id, Callable<?> work) throws Exception;
    }

    static class ServiceImpl implements Service {
        @Override
        public Object run(String id, Callable<?> work) throws Exception {
            return work.call();
        }
    }

    static final class FinalService implements Service {
        @Override
        public Object run(String id, Callable<?> work) throws Exception {
            return work.call();
        }
    }

    @DistributedLock(waitFor = 0)
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface OrderLock {
        @AliasFor(annotation = DistributedLock.class, attribute = "key")
        String value();

        @AliasFor(annotation = DistributedLock.class, attribute = "name")
        String scope() default "composed";
    }

    static class Composed {
        @OrderLock("#id")
        public Object run(String id, Callable<?> work) throws Exception {
            return work.call();
        }
    }

    static class Outer {
        private final Inner inner;

        Outer(Inner inner) {
            this.inner = inner;
        }

        @DistributedLock(key = "'nested'", waitFor = 0)
        public Object run(Callable<?> work) throws Exception {
            return inner.run(work);
        }
    }

    static class Inner {
        @DistributedLock(key = "'nested'", waitFor = 0)
        public Object run(Callable<?> work) throws Exception {
            return work.call();
        }
    }
}
