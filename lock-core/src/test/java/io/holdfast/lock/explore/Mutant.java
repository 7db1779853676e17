package io.holdfast.lock.explore;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.engine.acquire.Acquisition;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.acquire.Waits;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.hold.HeldLocks;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The real {@link Acquisition} with a {@link Defect}: a copy of its source with another name, compiled and loaded beside it. */
final class Mutant {

    private static final Path SOURCE = Path.of("src", "main", "java")
            .resolve(Acquisition.class.getName().replace('.', File.separatorChar) + ".java");
    private static final Map<Defect, Mutant> KNOWN = new ConcurrentHashMap<>();

    private final Constructor<?> ofAcquisition;
    private final Constructor<?> ofShared;

    private Mutant(Defect defect) {
        String name = Acquisition.class.getSimpleName() + "_" + defect;
        List<Class<?>> classes = define(name, source(defect, name));
        ofAcquisition = constructor(classes, name);
        ofShared = constructor(classes, Acquisition.Shared.class.getSimpleName());
    }

    static Mutant of(Defect defect) {
        return KNOWN.computeIfAbsent(defect, Mutant::new);
    }

    Steps acquisition(
            ClientContext client, HeldLocks locks, Waits waits, EventPublisher events, Object... ofConstructor) {
        try {
            Supplier<@Nullable String> noTrace = () -> null;
            List<Object> arguments =
                    new ArrayList<>(List.of(ofShared.newInstance(client, locks, waits, events, noTrace)));
            arguments.addAll(List.of(ofConstructor));
            return (Steps) ofAcquisition.newInstance(arguments.toArray());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("The acquisition with a defect cannot be made", e);
        }
    }

    private static String source(Defect defect, String name) {
        String rule = Arrays.stream(defect.text.split(" ")).map(Pattern::quote).collect(Collectors.joining("\\s+"));
        String own = Acquisition.class.getSimpleName();
        try {
            String source = Files.readString(SOURCE);
            assertThat(Pattern.compile(rule).matcher(source).results())
                    .as("Places in " + SOURCE + " of the rule that " + defect + " leaves out: " + defect.text)
                    .hasSize(1);
            return source.replaceFirst(rule, Matcher.quoteReplacement(defect.instead))
                    .replaceAll("\\b" + own + "\\b", name);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the classes of the source, defined in the package of the original. */
    private static List<Class<?>> define(String name, String source) {
        String classPath = Stream.of(Acquisition.class, Mutant.class, Logger.class, Nullable.class)
                .map(type -> path(type.getProtectionDomain().getCodeSource().getLocation()))
                .collect(Collectors.joining(File.pathSeparator));
        List<Class<?>> defined = new ArrayList<>();
        try {
            Path directory = Files.createTempDirectory(name);
            Path file = Files.writeString(directory.resolve(name + ".java"), source);
            int failures = ToolProvider.getSystemJavaCompiler()
                    .run(null, null, null, "-proc:none", "-nowarn", "-cp", classPath, file.toString());
            assertThat(failures).as("failures to compile " + file).isZero();
            MethodHandles.Lookup beside = MethodHandles.privateLookupIn(Acquisition.class, MethodHandles.lookup());
            for (File made : directory.toFile().listFiles((in, each) -> each.endsWith(".class"))) {
                defined.add(beside.defineClass(Files.readAllBytes(made.toPath())));
                Files.delete(made.toPath());
            }
            Files.delete(file);
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (IllegalAccessException e) {
            throw new LinkageError("The acquisition with a defect cannot be loaded", e);
        }
        return defined;
    }

    private static String path(URL place) {
        return Path.of(URI.create(place.toString())).toString();
    }

    private static Constructor<?> constructor(List<Class<?>> classes, String name) {
        return classes.stream()
                .filter(type -> type.getSimpleName().equals(name))
                .findFirst()
                .orElseThrow()
                .getConstructors()[0];
    }
}
