package io.holdfast.lock.spring.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedReadLock;
import java.io.IOException;
import java.io.InputStream;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.function.Supplier;
import kotlin.Metadata;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.mockito.Mockito;
import org.springframework.aop.ClassFilter;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Where the annotation may stand, so that no class with a lock is passed over. */
class AnnotatedTypesTest {

    private final ClassFilter types =
            new LockOperationSource(new DefaultListableBeanFactory(), Mockito::mock).getClassFilter();

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock(name = "composed")
    @interface Composed {}

    interface Contract {
        @DistributedLock(name = "contract")
        void run();
    }

    interface DefaultMethod {
        @Composed
        default void run() {}
    }

    static class OfMethod {
        @DistributedLock(name = "method")
        private void run() {}
    }

    @Composed
    static class OfClass {}

    static class ByContract implements Contract {
        @Override
        public void run() {}
    }

    static class Inheriting extends ByContract {}

    static class ByDefaultMethod extends ArrayList<String> implements DefaultMethod {
        private static final long serialVersionUID = 1L;
    }

    static class Shared {
        @DistributedReadLock(name = "shared")
        void run() {}
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Contract.class,
                OfMethod.class,
                OfClass.class,
                ByContract.class,
                Inheriting.class,
                ByDefaultMethod.class,
                Shared.class
            })
    void class_with_a_lock_of_its_own_or_of_a_super_type_matches(Class<?> type) {
        assertThat(types.matches(type)).isTrue();
        assertThat(types.matches(type)).isTrue();
    }

    @Test
    void proxy_of_an_interface_with_a_lock_matches() {
        Object proxy = Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Contract.class}, (self, method, args) -> null);

        assertThat(types.matches(proxy.getClass())).isTrue();
    }

    static class None extends ArrayList<String> implements Supplier<String> {
        private static final long serialVersionUID = 1L;

        @Override
        @Deprecated
        public String get() {
            return "";
        }
    }

    @Test
    void class_without_one_does_not() {
        assertThat(types.matches(None.class)).isFalse();
        assertThat(types.matches(Object.class)).isFalse();
    }

    /** Of an optional library, which is not on the class path. */
    static class Absent {}

    @Metadata
    static class WithNested {
        public void run() {}

        static class Nested extends Absent {}
    }

    static class InSignature {
        public @Nullable Absent make() {
            return null;
        }
    }

    interface OfInterface {
        Absent make();
    }

    static class InSignatureOfInterface implements OfInterface {
        @Override
        public Absent make() {
            return new Absent();
        }
    }

    /** As an application has it that lacks the library. */
    private static Class<?> withoutLibrary(Class<?> type) throws Exception {
        return new ClassLoader(AnnotatedTypesTest.class.getClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.equals(Absent.class.getName())) {
                    throw new ClassNotFoundException(name);
                }
                if (!name.startsWith(AnnotatedTypesTest.class.getName() + "$") || name.endsWith("Composed")) {
                    return super.loadClass(name, resolve);
                }
                Class<?> known = findLoadedClass(name);
                if (known != null) {
                    return known;
                }
                try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
                    if (file == null) {
                        throw new ClassNotFoundException(name);
                    }
                    byte[] bytes = file.readAllBytes();
                    return defineClass(name, bytes, 0, bytes.length);
                } catch (IOException e) {
                    throw new ClassNotFoundException(name, e);
                }
            }
        }.loadClass(type.getName());
    }

    @ParameterizedTest
    @ValueSource(classes = {WithNested.class, InSignature.class, InSignatureOfInterface.class})
    void class_that_names_absent_types_and_locks_nothing_does_not(Class<?> type) throws Exception {
        assertThat(types.matches(withoutLibrary(type))).isFalse();
    }
}
