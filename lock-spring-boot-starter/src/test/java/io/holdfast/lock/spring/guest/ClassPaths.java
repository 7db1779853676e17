package io.holdfast.lock.spring.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.guest.Example.Starter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;

/**
 * Has Maven say which jars the examples have. It takes the project's own artifacts from a local repository that has nothing
 * else of its own, and leaves the user's as it is.
 */
final class ClassPaths {

    private final Path directory;
    private final String version;

    private ClassPaths(Path directory, String version) {
        this.directory = directory;
        this.version = version;
    }

    /**
     * Asks Maven for all of them at once.
     *
     * @param project the directory of the whole project, whose modules are packaged
     */
    static ClassPaths resolve(Path project, Path directory, String version, String springBoot)
            throws IOException, InterruptedException {
        ClassPaths paths = new ClassPaths(directory, version);
        paths.install(project, "lock-parent", "pom");
        for (String module : List.of("lock-core", "lock-spring-boot-starter")) {
            paths.install(project.resolve(module), module, "pom");
            paths.install(project.resolve(module), module, "jar");
        }
        paths.writePoms(springBoot);
        paths.run(project);
        return paths;
    }

    private void install(Path module, String artifact, String type) throws IOException {
        String file = artifact + '-' + version + '.' + type;
        Path from = type.equals("pom")
                ? module.resolve("pom.xml")
                : module.resolve("target").resolve(file);
        assertThat(from).isRegularFile();
        Path to = repository().resolve("io/holdfast").resolve(artifact).resolve(version);
        Files.createDirectories(to);
        Files.copy(from, to.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }

    private Path repository() {
        return directory.resolve("repository");
    }

    private void writePoms(String springBoot) throws IOException {
        StringBuilder modules = new StringBuilder();
        for (Example example : Example.values()) {
            for (Starter place : Starter.values()) {
                String name = example.with(place);
                modules.append("<module>").append(name).append("</module>\n");
                Path module = Files.createDirectories(directory.resolve(name));
                Files.writeString(module.resolve("pom.xml"), example.pom(place, version));
            }
        }
        Files.writeString(directory.resolve("pom.xml"), """
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>example</groupId>
                  <artifactId>applications</artifactId>
                  <version>1</version>
                  <packaging>pom</packaging>
                  <modules>
                %s  </modules>
                  <dependencyManagement>
                    <dependencies>
                      <dependency>
                        <groupId>org.springframework.boot</groupId>
                        <artifactId>spring-boot-dependencies</artifactId>
                        <version>%s</version>
                        <type>pom</type>
                        <scope>import</scope>
                      </dependency>
                    </dependencies>
                  </dependencyManagement>
                </project>
                """.formatted(modules, springBoot));
    }

    private void run(Path project) throws IOException, InterruptedException {
        Path log = directory.resolve("maven.log");
        Path users = Path.of(System.getProperty("localRepository"));
        Process maven = new ProcessBuilder(
                        project.resolve("mvnw").toString(),
                        "-B",
                        "-ntp",
                        "-f",
                        directory.resolve("pom.xml").toString(),
                        "-Dmaven.repo.local=" + repository(),
                        "-Dmaven.repo.local.tail=" + users,
                        "-Dmaven.repo.local.tail.ignoreAvailability=true",
                        "-Dmdep.outputFile=classpath.txt",
                        "-Dmdep.includeScope=runtime",
                        "org.apache.maven.plugins:maven-dependency-plugin:3.9.0:build-classpath")
                .directory(project.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        assertThat(maven.waitFor()).as(() -> "Maven, see " + log).isZero();
    }

    /** The jars of one application. */
    List<Path> of(Example example, Starter place) throws IOException {
        Path file = directory.resolve(example.with(place)).resolve("classpath.txt");
        return Arrays.stream(Files.readString(file).trim().split(java.io.File.pathSeparator, -1))
                .map(Path::of)
                .toList();
    }
}
