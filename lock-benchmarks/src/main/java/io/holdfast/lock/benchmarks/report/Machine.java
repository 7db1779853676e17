package io.holdfast.lock.benchmarks.report;

import com.baomidou.lock.LockTemplate;
import com.sun.management.OperatingSystemMXBean;
import io.holdfast.lock.engine.LockEngine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.redisson.api.RedissonClient;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.integration.redis.util.RedisLockRegistry;
import redis.clients.jedis.Jedis;

/** The hardware and software that the figures were measured with, one line for each item. */
public record Machine(List<String> lines) {

    private static final Pattern VERSION = Pattern.compile("-(\\d[^/]*)\\.jar$");
    private static final long GIGABYTE = 1024L * 1024 * 1024;

    public static Machine describe(String redisVersion) {
        List<String> lines = new ArrayList<>();
        lines.add("Date: " + LocalDate.now(ZoneOffset.UTC));
        lines.add("Machine: " + processor() + ", " + Runtime.getRuntime().availableProcessors() + " cores, "
                + memoryGigabytes() + " GB, " + System.getProperty("os.name") + ' ' + System.getProperty("os.version"));
        lines.add("JDK: " + System.getProperty("java.vm.name") + ' ' + System.getProperty("java.vm.version"));
        lines.add("Redis: " + redisVersion + ", on loopback, without persistence");
        lines.add("Holdfast " + version(LockEngine.class) + ", Jedis " + version(Jedis.class) + ", Spring Data Redis "
                + version(RedisTemplate.class));
        lines.add("Redisson " + version(RedissonClient.class) + ", Spring Integration "
                + version(RedisLockRegistry.class) + ", Lock4j " + version(LockTemplate.class));
        return new Machine(lines);
    }

    /** {@return the same, with more lines below} */
    public Machine with(List<String> more) {
        return new Machine(Stream.concat(lines.stream(), more.stream()).toList());
    }

    private static String processor() {
        try (var info = Files.lines(Path.of("/proc/cpuinfo"))) {
            return info.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException notLinux) {
            return System.getProperty("os.arch");
        }
    }

    private static long memoryGigabytes() {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return Math.round((double) system.getTotalMemorySize() / GIGABYTE);
    }

    /** From the file's name: not every library states its version in its manifest. */
    private static String version(Class<?> type) {
        String place = type.getProtectionDomain().getCodeSource().getLocation().getPath();
        Matcher matcher = VERSION.matcher(place);
        return matcher.find() ? matcher.group(1) : "(as compiled)";
    }
}
