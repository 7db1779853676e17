package io.holdfast.lock.spring;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Arrays;
import java.util.List;

/** Runs code on the tests' class path without some of its jars, as an application has it that lacks them. */
public final class ReducedClassPath {

    private final List<File> path;

    private ReducedClassPath(List<File> path) {
        this.path = path;
    }

    /** All but the jars whose names begin with one of these. */
    public static ReducedClassPath without(String... artifacts) {
        String whole = System.getProperty("java.class.path");
        return new ReducedClassPath(Arrays.stream(whole.split(File.pathSeparator, -1))
                        .map(File::new)
                        .toList())
                .and(artifacts);
    }

    /** Without these jars either. */
    public ReducedClassPath and(String... artifacts) {
        return new ReducedClassPath(path.stream()
                .filter(file -> file.isDirectory() || Arrays.stream(artifacts).noneMatch(file.getName()::startsWith))
                .toList());
    }

    private static URL url(File file) {
        try {
            return file.toURI().toURL();
        } catch (MalformedURLException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Calls the static method {@code run} of the class, which need not be public, and returns its text. */
    public String run(Class<?> program) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader = new URLClassLoader(
                path.stream().map(ReducedClassPath::url).toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            thread.setContextClassLoader(loader);
            Method run = loader.loadClass(program.getName()).getDeclaredMethod("run");
            run.setAccessible(true);
            return String.valueOf(run.invoke(null));
        } catch (InvocationTargetException e) {
            throw new AssertionError(e.getCause());
        } catch (ReflectiveOperationException | IOException e) {
            throw new AssertionError(e);
        } finally {
            thread.setContextClassLoader(before);
        }
    }
}
