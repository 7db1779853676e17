package io.holdfast.lock.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.io.File;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.lang.runtime.ObjectMethods;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that deploys an application again and again: nothing of its former class loaders remains. */
@Tag("full")
@Timeout(600)
class RedeploymentTest {

    private static final int DEPLOYMENTS = 2;
    private static final String JEDIS = "spring.data.redis.client-type=jedis";
    private static final String LETTUCE = "spring.data.redis.client-type=lettuce";

    private final List<WeakReference<ClassLoader>> loaders = new ArrayList<>();

    /** Its methods are linked last, see {@link #assertNoneRemains}. */
    private record Last(Thread.State value) {}

    private void deploy(boolean busy, String... properties) throws Exception {
        List<String> all = new ArrayList<>(List.of(
                "spring.data.redis.host=127.0.0.1",
                "spring.data.redis.port=" + TestRedis.shared().port(),
                "spring.main.banner-mode=off",
                "holdfast.redis.command-timeout=30s",
                "holdfast.wait-for=60s",
                "holdfast.shutdown.timeout=100ms"));
        all.addAll(List.of(properties));
        for (int i = 0; i < DEPLOYMENTS; i++) {
            loaders.add(new WeakReference<>(deployOnce(busy, all.toArray(String[]::new))));
        }
    }

    private static ClassLoader deployOnce(boolean busy, String... properties) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(loader);
            Method run = loader.loadClass(DeployedApplication.class.getName())
                    .getDeclaredMethod("run", boolean.class, String[].class);
            run.setAccessible(true);
            run.invoke(null, busy, properties);
            return loader;
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static URL[] classPath() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String each : System.getProperty("java.class.path").split(File.pathSeparator)) {
            urls.add(new File(each).toURI().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    /** Java 17 itself keeps the class loader of the record whose equals or hashCode was linked last. */
    private void assertNoneRemains() throws Exception {
        MethodHandle value = MethodHandles.lookup().findGetter(Last.class, "value", Thread.State.class);
        link("equals", MethodType.methodType(boolean.class, Last.class, Object.class), value);
        link("hashCode", MethodType.methodType(int.class, Last.class), value);
        link("toString", MethodType.methodType(String.class, Last.class), value);
        Awaitility.await()
                .atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThat(remaining()).as("class loaders").isZero());
    }

    private static void link(String method, MethodType type, MethodHandle value) {
        try {
            var unused = ObjectMethods.bootstrap(MethodHandles.lookup(), method, type, Last.class, "value", value);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    private long remaining() {
        System.gc();
        return loaders.stream().filter(loader -> !loader.refersTo(null)).count();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void with_locks_in_memory(boolean busy) throws Exception {
        deploy(busy, JEDIS, "holdfast.store=in-memory");
        assertNoneRemains();
    }

    @Test
    void with_dedicated_connections_to_redis() throws Exception {
        deploy(true, JEDIS);
        assertNoneRemains();
    }

    @Test
    void with_the_connection_factory_of_an_application_with_jedis() throws Exception {
        deploy(true, JEDIS, "holdfast.redis.connection=application");
        assertNoneRemains();
    }

    /** On a thread that ends, because Netty leaves objects in the threads that call it. */
    @ParameterizedTest
    @ValueSource(strings = {"application", "dedicated"})
    void with_lettuce(String connection) throws Exception {
        FutureTask<Void> deployment = new FutureTask<>(() -> {
            deploy(true, LETTUCE, "holdfast.redis.connection=" + connection);
            return null;
        });
        Thread thread = new Thread(deployment);
        thread.start();
        deployment.get();
        thread.join();
        assertNoneRemains();
    }

    @Test
    void with_a_quorum() throws Exception {
        List<RedisServerProcess> servers =
                Stream.generate(() -> RedisServerProcess.start()).limit(3).toList();
        try {
            String nodes =
                    servers.stream().map(server -> "127.0.0.1:" + server.port()).collect(Collectors.joining(","));
            TimeUnit.SECONDS.sleep(3); // longer than new servers refuse to grant locks
            deploy(
                    true,
                    JEDIS,
                    "holdfast.quorum.nodes=" + nodes,
                    "holdfast.quorum.command-timeout=10s",
                    "holdfast.lease=2s");
            assertNoneRemains();
        } finally {
            servers.forEach(RedisServerProcess::close);
        }
    }
}
