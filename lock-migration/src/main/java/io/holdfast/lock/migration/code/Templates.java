package io.holdfast.lock.migration.code;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.openrewrite.java.JavaParser;
import org.openrewrite.java.JavaTemplate;

/**
 * Templates of code that uses Holdfast. They are compiled against stubs of its API, so that Holdfast need not be on the class path
 * of the recipes.
 */
public final class Templates {

    public static final String ANNOTATION = "io.holdfast.lock.spring.annotation.DistributedLock";
    public static final String ON_ONE_INSTANCE = "io.holdfast.lock.spring.annotation.OnOneInstance";
    public static final String ON_CONTENTION = "io.holdfast.lock.spring.annotation.OnContention";
    public static final String LOCK_CONTEXT = "io.holdfast.lock.spring.LockContext";
    public static final String LOCK_TEMPLATE = "io.holdfast.lock.api.LockTemplate";
    public static final String LOCK_REQUEST = "io.holdfast.lock.api.LockRequest";
    public static final String LOCK_HANDLE = "io.holdfast.lock.api.LockHandle";
    public static final String LOCK = "io.holdfast.lock.api.RemoteLock";
    public static final String READ_WRITE_LOCK = "io.holdfast.lock.api.RemoteReadWriteLock";
    public static final String REGISTRY = "io.holdfast.lock.spring.integration.HoldfastLockRegistry";
    public static final String DURATION = "java.time.Duration";
    public static final String TIME_UNIT = "java.util.concurrent.TimeUnit";
    public static final String LIST = "java.util.List";

    /** The types that have a stub. */
    static final List<String> STUBS = List.of(
            "LockKey",
            "LockHandle",
            "LockRequest",
            "RemoteLock",
            "RemoteReadWriteLock",
            "LockTemplate",
            "OnContention",
            "DistributedLock",
            "OnOneInstance",
            "LockContext",
            "HoldfastLockRegistry");

    private Templates() {}

    /** A template in which simple names refer to the imported types. */
    public static JavaTemplate of(String code, String... imports) {
        return JavaTemplate.builder(code).imports(imports).javaParser(parser()).build();
    }

    private static JavaParser.Builder<?, ?> parser() {
        return JavaParser.fromJavaVersion()
                .dependsOn(STUBS.stream().map(Templates::stub).toArray(String[]::new));
    }

    static String stub(String type) {
        try (InputStream source = Templates.class.getResourceAsStream("stubs/" + type + ".txt")) {
            return new String(Objects.requireNonNull(source, type).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
