package io.holdfast.lock.engine;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockHolder;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.memory.InMemoryLockStore;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Semaphore;

/** Run by {@link SlowHostNameTest}. Its name server responds to one look-up for each line of input. */
final class SlowHostNameWorker {

    private static final Semaphore RESPONSES = new Semaphore(0);

    private SlowHostNameWorker() {}

    public static void main(String[] arguments) throws Exception {
        delayLookUps();
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (LockEngine locks = LockEngine.builder(new InMemoryLockStore()).build()) {
            System.out.println(host(locks));
            input.readLine();
            RESPONSES.release();
            while (host(locks).equals("unknown")) {
                Thread.onSpinWait();
            }
            System.out.println(host(locks));
            locks.suspend(Duration.ZERO);
            forget();
            locks.resume();
            System.out.println(host(locks));
            input.readLine();
            RESPONSES.release();
            while (host(locks).equals("unknown")) {
                Thread.onSpinWait();
            }
            System.out.println(host(locks));
        }
    }

    private static String host(LockEngine locks) {
        try (LockHandle handle = locks.tryAcquire(LockRequest.of("order:42")).orElseThrow()) {
            return locks.inspect(handle.key().value())
                    .holder()
                    .map(LockHolder::host)
                    .orElseThrow();
        }
    }

    /** Java 17 has a name service; Java 18 and later, a resolver. */
    private static void delayLookUps() throws ReflectiveOperationException {
        InetAddress.getLoopbackAddress();
        Field service = Arrays.stream(InetAddress.class.getDeclaredFields())
                .filter(field ->
                        field.getName().equals("nameService") || field.getName().equals("resolver"))
                .findAny()
                .orElseThrow();
        service.setAccessible(true);
        Method made = Arrays.stream(InetAddress.class.getDeclaredMethods())
                .filter(method -> method.getName().equals("resolver"))
                .findAny()
                .orElse(null);
        if (made != null) {
            made.setAccessible(true);
        }
        Object system = made == null ? service.get(null) : made.invoke(null);
        service.set(null, Proxy.newProxyInstance(null, new Class<?>[] {service.getType()}, (proxy, method, values) -> {
            RESPONSES.acquireUninterruptibly();
            method.setAccessible(true);
            try {
                return method.invoke(system, values);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    /** The JDK remembers the address of this machine for five seconds. */
    private static void forget() throws ReflectiveOperationException {
        Field known = InetAddress.class.getDeclaredField("cachedLocalHost");
        known.setAccessible(true);
        known.set(null, null);
    }
}
