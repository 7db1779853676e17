package io.holdfast.lock.spring.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.Startup;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An application that has no Reactor. Spring looks for it with its own class loader, so the whole application is loaded
 * anew, from the same class path without Reactor.
 */
@Timeout(120)
class WithoutReactorTest {

    static class Service {
        @DistributedLock(key = "'value'")
        public String value() {
            return "value";
        }

        @DistributedLock(key = "'stage'")
        public CompletableFuture<String> stage() {
            return CompletableFuture.completedFuture("stage");
        }
    }

    static class Streaming {
        @DistributedLock(key = "'stream'")
        public Flow.Publisher<String> run() {
            throw new IllegalStateException("never called");
        }
    }

    /** Run by the tests in a class loader of its own. */
    static final class Locking implements Callable<String> {
        @Override
        public String call() {
            var seen = new StringBuilder();
            Runners.inMemory().withBean(Service.class).run(context -> {
                Service service = context.getBean(Service.class);
                seen.append(service.value()).append(", ").append(service.stage().get(30, TimeUnit.SECONDS));
                seen.append(", ")
                        .append(context.getBean(LockTemplate.class)
                                .inspect("stage")
                                .holders());
            });
            return seen.toString();
        }
    }

    /** Run by the tests in a class loader of its own. */
    static final class Refused implements Callable<String> {
        @Override
        public String call() {
            var seen = new StringBuilder();
            Runners.inMemory().withBean(Streaming.class).run(context -> seen.append(Startup.failureOf(context)));
            return seen.toString();
        }
    }

    private static String run(Class<? extends Callable<String>> application) throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            var constructor = loader.loadClass(application.getName()).getDeclaredConstructor();
            constructor.setAccessible(true);
            return (String) ((Callable<?>) constructor.newInstance()).call();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static URL[] classPath() {
        String all = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        return Arrays.stream(all.split(File.pathSeparator))
                .filter(each -> !each.contains("projectreactor"))
                .map(WithoutReactorTest::toUrl)
                .toArray(URL[]::new);
    }

    private static URL toUrl(String path) {
        try {
            return new File(path).toURI().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException(path, e);
        }
    }

    @Test
    void values_and_stages_are_locked() throws Exception {
        assertThat(run(Locking.class)).isEqualTo("value, stage, []");
    }

    @Test
    void reactive_result_fails_startup_and_says_what_to_add() throws Exception {
        assertThat(run(Refused.class)).contains("Streaming.run(", "Flow$Publisher", "io.projectreactor:reactor-core");
    }
}
