package io.holdfast.lock.migration;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Compiles sources as users do, with javac. */
final class Compiler {

    private Compiler() {}

    /** Returns what javac reports about the sources, whose paths are given, on the class path of this test. */
    static String errors(Map<String, String> sources, Path folder) throws IOException {
        List<File> files = new ArrayList<>();
        for (Map.Entry<String, String> each : sources.entrySet()) {
            Path file = folder.resolve(each.getKey());
            Files.createDirectories(file.getParent());
            files.add(Files.writeString(file, each.getValue()).toFile());
        }
        return errors(files, folder, System.getProperty("java.class.path"));
    }

    static String errors(List<File> files, Path folder, String classPath) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        List<String> options = List.of(
                "-parameters",
                "-proc:none",
                "-nowarn",
                "-Xmaxerrs",
                "1000",
                "-d",
                Files.createDirectories(folder.resolve("classes")).toString(),
                "-classpath",
                classPath);
        boolean compiled = compiler.getTask(
                        errors,
                        null,
                        null,
                        options,
                        null,
                        compiler.getStandardFileManager(null, null, null).getJavaFileObjectsFromFiles(files))
                .call();
        return compiled ? "" : errors.toString();
    }
}
