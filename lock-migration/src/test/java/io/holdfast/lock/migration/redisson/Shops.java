package io.holdfast.lock.migration.redisson;

import java.util.Arrays;
import java.util.stream.Collectors;

/** Sources of a class with one method. */
final class Shops {

    private static final String FIELD = """

            class Shop {
                private final %1$s %2$s;

                Shop(%1$s %2$s) {
                    this.%2$s = %2$s;
                }

                void order(String key, long lease, TimeUnit unit) throws Exception {
            %3$s    }
            }
            """;

    private Shops() {}

    static String before(String body) {
        String types = Arrays.stream(new String[] {
                    "RFencedLock", "RLock", "RReadWriteLock", "RSemaphore", "RPermitExpirableSemaphore"
                })
                .filter(each -> body.contains(each))
                .map(each -> "import org.redisson.api." + each + ";\n")
                .collect(Collectors.joining());
        return "import java.util.concurrent.TimeUnit;\n" + types + "import org.redisson.api.RedissonClient;\n"
                + FIELD.formatted("RedissonClient", "redisson", body.indent(8));
    }

    static String after(String body, String... imports) {
        String jdk = Arrays.stream(imports)
                .filter(each -> each.equals("Duration") || each.equals("List"))
                .map(each -> "import java." + (each.equals("List") ? "util." : "time.") + each + ";\n")
                .collect(Collectors.joining());
        String api = Arrays.stream((String.join(",", imports) + ",LockTemplate").split(","))
                .filter(each -> !each.isEmpty() && !each.equals("Duration") && !each.equals("List"))
                .sorted()
                .map(each -> "import io.holdfast.lock.api." + each + ";\n")
                .collect(Collectors.joining());
        return jdk + "import java.util.concurrent.TimeUnit;\n\n" + api
                + FIELD.formatted("LockTemplate", "lockTemplate", body.indent(8));
    }
}
