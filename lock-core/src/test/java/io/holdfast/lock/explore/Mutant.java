package io.holdfast.lock.explore;

import io.holdfast.lock.engine.acquire.Acquisition;
import io.holdfast.lock.engine.acquire.Call;
import io.holdfast.lock.engine.acquire.Steps;
import io.holdfast.lock.engine.acquire.Waits;
import io.holdfast.lock.engine.client.ClientContext;
import io.holdfast.lock.engine.client.EventPublisher;
import io.holdfast.lock.engine.hold.HeldLocks;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Constructor;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
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
        List<Class<?>> classes = define(compile(name, source(defect, name)));
        ofAcquisition = constructor(classes, name);
        ofShared = constructor(classes, Acquisition.Shared.class.getSimpleName());
    }

    static Mutant of(Defect defect) {
        return KNOWN.computeIfAbsent(defect, Mutant::new);
    }

    Steps acquisition(ClientContext client, HeldLocks locks, Waits waits, EventPublisher events, Call call) {
        try {
            return (Steps) ofAcquisition.newInstance(ofShared.newInstance(client, locks, waits, events), call);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("The acquisition with a defect cannot be made", e);
        }
    }

    private static String source(Defect defect, String name) {
        String source;
        try {
            source = Files.readString(SOURCE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String pattern =
                Arrays.stream(defect.text.split(" ")).map(Pattern::quote).collect(Collectors.joining("\\s+"));
        String defective = replaced(source, pattern, defect.instead);
        String own = Acquisition.class.getSimpleName();
        return defective
                .replace("class " + own + " ", "class " + name + " ")
                .replace("public " + own + "(", "public " + name + "(")
                .replace("(" + own + ".class", "(" + name + ".class");
    }

    private static String replaced(String source, String pattern, String instead) {
        if (Pattern.compile(pattern).matcher(source).results().count() != 1) {
            throw new IllegalStateException(
                    SOURCE + " does not contain this once, so the defect has to be written anew: " + pattern);
        }
        return source.replaceFirst(pattern, Matcher.quoteReplacement(instead));
    }

    private static List<byte[]> compile(String name, String source) {
        List<ByteArrayOutputStream> made = new ArrayList<>();
        StringWriter errors = new StringWriter();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavaFileManager files =
                new ForwardingJavaFileManager<JavaFileManager>(compiler.getStandardFileManager(null, null, null)) {
                    @Override
                    public JavaFileObject getJavaFileForOutput(
                            Location place, String type, JavaFileObject.Kind kind, @Nullable FileObject sibling) {
                        return new SimpleJavaFileObject(URI.create("mem:/" + type + kind.extension), kind) {
                            @Override
                            public OutputStream openOutputStream() {
                                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                                made.add(bytes);
                                return bytes;
                            }
                        };
                    }
                };
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("mem:/" + name + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean lenient) {
                        return source;
                    }
                };
        String classPath = Stream.of(Acquisition.class, Mutant.class, Logger.class, Nullable.class)
                .map(type -> Path.of(URI.create(type.getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toString()))
                        .toString())
                .collect(Collectors.joining(File.pathSeparator));
        List<String> options = List.of("-proc:none", "-nowarn", "-classpath", classPath);
        if (!compiler.getTask(errors, files, null, options, null, List.of(file)).call()) {
            throw new IllegalStateException("The acquisition with a defect cannot be compiled: " + errors);
        }
        return made.stream().map(ByteArrayOutputStream::toByteArray).toList();
    }

    private static List<Class<?>> define(List<byte[]> compiled) {
        List<Class<?>> defined = new ArrayList<>();
        try {
            MethodHandles.Lookup beside = MethodHandles.privateLookupIn(Acquisition.class, MethodHandles.lookup());
            for (byte[] bytes : compiled) {
                defined.add(beside.defineClass(bytes));
            }
        } catch (IllegalAccessException e) {
            throw new LinkageError("The acquisition with a defect cannot be loaded", e);
        }
        return defined;
    }

    private static Constructor<?> constructor(List<Class<?>> classes, String name) {
        return classes.stream()
                .filter(type -> type.getSimpleName().equals(name))
                .findFirst()
                .orElseThrow()
                .getConstructors()[0];
    }
}
