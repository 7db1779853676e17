package io.holdfast.lock.spring.guest;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Applications as people have them, by what they depend on: artifact, or {@code artifact without:artifact}. */
enum Example {
    WEB("spring-boot-starter-webmvc", "spring-boot-starter-actuator"),
    JPA("spring-boot-starter-data-jpa", "com.h2database:h2", "spring-boot-starter-actuator"),
    JDBC("spring-boot-starter-data-jdbc", "com.h2database:h2"),
    CAFFEINE("spring-boot-starter-cache", "com.github.ben-manes.caffeine:caffeine", "spring-boot-starter-actuator"),
    CACHE("spring-boot-starter-cache", "spring-boot-starter-actuator"),
    SESSION("spring-boot-starter-webmvc", "spring-boot-starter-session-jdbc", "com.h2database:h2"),
    LETTUCE("spring-boot-starter-data-redis", "spring-boot-starter-cache", "spring-boot-starter-actuator"),
    JEDIS(
            "spring-boot-starter-data-redis without io.lettuce:lettuce-core",
            "redis.clients:jedis",
            "spring-boot-starter-cache",
            "spring-boot-starter-actuator"),
    REACTIVE("spring-boot-starter-webflux", "spring-boot-starter-data-redis-reactive", "spring-boot-starter-actuator"),
    LETTUCE_ONLY("spring-boot-starter-data-redis", "io.holdfast:lock-spring-boot-starter without redis.clients:jedis");

    private static final String STARTER = "io.holdfast:lock-spring-boot-starter";

    private final List<String> dependencies;
    private final String starter;

    /** The starter is named only where it is without something. */
    Example(String... all) {
        this.dependencies =
                Stream.of(all).filter(each -> !each.startsWith(STARTER)).toList();
        this.starter = Stream.of(all)
                .filter(each -> each.startsWith(STARTER))
                .findAny()
                .orElse(STARTER);
    }

    /** Whether it has Spring Boot's module for Redis. */
    boolean hasRedis() {
        return dependencies.stream().anyMatch(each -> each.startsWith("spring-boot-starter-data-redis"));
    }

    /** Where the starter stands among the dependencies. */
    enum Starter {
        NONE,
        FIRST,
        LAST
    }

    /** As a directory is called. */
    String with(Starter place) {
        return (name() + '-' + place.name()).toLowerCase(java.util.Locale.ROOT);
    }

    /** The {@code pom.xml} of the application. */
    String pom(Starter place, String version) {
        List<String> all = new ArrayList<>(dependencies);
        if (place != Starter.NONE) {
            all.add(place == Starter.FIRST ? 0 : all.size(), starter);
        }
        StringBuilder pom = new StringBuilder("""
                <project xmlns="http://maven.apache.org/POM/4.0.0">
                  <modelVersion>4.0.0</modelVersion>
                  <parent>
                    <groupId>example</groupId>
                    <artifactId>applications</artifactId>
                    <version>1</version>
                  </parent>
                  <artifactId>%s</artifactId>
                  <dependencies>
                """.formatted(with(place)));
        all.forEach(each -> pom.append(dependency(each, version)));
        return pom.append("  </dependencies>\n</project>\n").toString();
    }

    private static String dependency(String text, String version) {
        String[] parts = text.split(" without ", -1);
        return "    <dependency>" + coordinates(parts[0]) + (parts[0].equals(STARTER) ? tag("version", version) : "")
                + (parts.length > 1 ? tag("exclusions", tag("exclusion", coordinates(parts[1]))) : "")
                + "</dependency>\n";
    }

    private static String coordinates(String text) {
        String[] parts = Stream.of(text.split(":", -1)).toArray(String[]::new);
        return parts.length == 1
                ? tag("groupId", "org.springframework.boot") + tag("artifactId", parts[0])
                : tag("groupId", parts[0]) + tag("artifactId", parts[1]);
    }

    private static String tag(String name, String content) {
        return "<" + name + ">" + content + "</" + name + ">";
    }
}
